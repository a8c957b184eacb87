// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import static dev.verbena.store.grant.GrantFixture.block;
import static dev.verbena.store.grant.GrantFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.memory.DurabilityMethod;
import dev.verbena.rpc.RpcException;
import dev.verbena.store.StoredMapOutput;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.testing.Await;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of grants when either end is stopped or killed, over whatever carrier. */
abstract class GrantCrashContract {
  private static final GrantOptions SHORT =
      GrantOptions.defaults().withLease(Duration.ofSeconds(1));
  private static final int STOPS = 3;

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private Path directory;

  abstract boolean tcpOnly();

  @BeforeEach
  void makeDirectory() throws IOException {
    directory = Files.createTempDirectory(Path.of("/dev/shm"), "store-grant-crash-");
  }

  @AfterEach
  void clearUp() throws IOException {
    timer.shutdownNow();
    try (var files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
    }
  }

  @Test
  void aWriterThatWasStoppedPastItsLeaseIsRefusedAndTheNewOwnersBlockIsIntact() {
    for (int round = 0; round < STOPS; round++) {
      try (GrantFixture fixture = new GrantFixture(tcpOnly(), SHORT);
          WritingChild child =
              new WritingChild(
                  fixture.directory, tcpOnly(), fixture.server.endpoint().addresses().get(0));
          GrantWriter heir = fixture.connect()) {
        long before = fixture.used();
        long place = child.grant();
        child.startHammering();
        child.stop();
        Await.until("the end of the grant", () -> fixture.server.grants().open() == 0);
        Await.until(
            "its space to come back, or to be put aside",
            () -> fixture.used() == before || fixture.server.grants().quarantined() == 1);
        boolean aside = fixture.used() != before;
        ClientGrant next = heir.client.grant(GrantFixture.APPLICATION, 1, 48 << 10);
        if (aside) {
          assertThat(next.terms().recordAddress()).isNotEqualTo(place);
        } else {
          assertThat(next.terms().recordAddress()).isEqualTo(place);
        }
        heir.client.abandon(new long[] {next.terms().grant()});
        heir.write(1, 1, 40_000);
        byte[] written = fixture.read(1, 0);
        child.resume();

        assertThat(child.hammeringEndedBy()).isEqualTo(RpcException.Code.REMOTE_ACCESS);
        assertThat(written).isEqualTo(block(1, 0, 40_000));
        assertThat(fixture.read(1, 0)).isEqualTo(block(1, 0, 40_000));
        fixture.store.removeApplication(GrantFixture.APPLICATION);
        fixture.awaitUsed(before);
        assertThat(fixture.server.grants().quarantined()).isZero();
      }
    }
  }

  @Test
  void aWriterThatIsKilledLeavesWhatItCommittedAndNothingElse() {
    try (GrantFixture fixture = new GrantFixture(tcpOnly(), GrantOptions.defaults());
        WritingChild child =
            new WritingChild(
                fixture.directory, tcpOnly(), fixture.server.endpoint().addresses().get(0))) {
      child.write(1, 50_000);
      long committed = fixture.used();
      child.append(2, 300_000, false);
      child.append(3, 300_000, true);
      assertThat(fixture.used()).isGreaterThan(committed);
      child.kill();
      fixture.awaitUsed(committed);

      assertThat(fixture.read(1, 0)).isEqualTo(block(1, 0, 50_000));
      assertThat(fixture.store.find(key(2))).isEmpty();
      assertThat(fixture.store.find(key(3))).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"PROCESS", "POWER"})
  void aStoreThatIsKilledRecoversWhatWasCommittedAndNothingElse(DurabilityDomain domain)
      throws IOException {
    try (GrantingChild child = new GrantingChild(directory, tcpOnly(), domain);
        GrantWriter writer =
            new GrantWriter(
                GrantFixture.serveOptions(directory, tcpOnly()), child.address(), timer)) {
      RemoteMapOutputWriter payload = writer.client.openMapOutput(key(2), 1);
      GrantWriter.append(payload, 2, 1, 300_000);
      RemoteMapOutputWriter published = writer.client.openMapOutput(key(3), 1);
      GrantWriter.append(published, 3, 1, 300_000);
      published.startRound();
      assertThat(published.durability()).contains(new Durability(domain, DurabilityMethod.FLUSH));
      writer.write(1, 3, 100_000);
      child.kill();
    }
    try (LocalBlockStore store =
        LocalBlockStore.open(GrantFixture.storeOptions(directory, domain))) {
      for (int p = 0; p < 3; p++) {
        try (StoredMapOutput output = store.find(key(1)).orElseThrow();
            InputStream in = output.open(p, p + 1)) {
          assertThat(in.readAllBytes()).isEqualTo(block(1, p, 100_000));
        }
      }
      assertThat(store.mapOutputs(GrantFixture.APPLICATION)).containsExactly(key(1));
      store.removeApplication(GrantFixture.APPLICATION);
      assertThat(store.usage().used()).isEqualTo(usedByNobody(domain));
    }
  }

  private long usedByNobody(DurabilityDomain domain) {
    try (LocalBlockStore empty =
        LocalBlockStore.open(GrantFixture.storeOptions(directory.resolve("empty"), domain))) {
      return empty.usage().used();
    }
  }
}
