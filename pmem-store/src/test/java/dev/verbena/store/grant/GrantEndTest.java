// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.store.StoreException;
import dev.verbena.testing.Await;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several grants end at once, and the space of the first can't be given back. */
class GrantEndTest {
  private static final int BYTES = 5 * GrantFixture.MIB;
  private static final long[] NONE = {};

  @Test
  void afterALeaseEveryOtherGrantIsRevokedAndItsSpaceGivenBack() throws IOException {
    try (GrantFixture fixture = fixture();
        GrantWriter writer = fixture.connect()) {
      writer.client.grant(GrantFixture.APPLICATION, BYTES, BYTES);
      ClientGrant second = writer.client.grant(GrantFixture.APPLICATION, BYTES, BYTES);
      fixture.stopRenewing();
      // From here on both leases end at once.
      writer.connection.call(
          GrantListLayout.RENEW, GrantListLayout.request(), GrantWriter.deadline());
      cutFirstPool(fixture);

      awaitSecondPoolEmpty(fixture);
      assertThat(writer.writeAnyway(second, 0, 100)).isPresent();
    }
  }

  @Test
  void whenAConnectionEndsTheSpaceOfEveryOtherGrantIsGivenBack() throws IOException {
    try (GrantFixture fixture = fixture()) {
      try (GrantWriter writer = fixture.connect()) {
        writer.client.grant(GrantFixture.APPLICATION, BYTES, BYTES);
        writer.client.grant(GrantFixture.APPLICATION, BYTES, BYTES);
        cutFirstPool(fixture);
      }

      awaitSecondPoolEmpty(fixture);
    }
  }

  @Test
  void anAbandonThatFailsForOneGrantEndsTheOthers() throws IOException {
    try (GrantFixture fixture = fixture();
        GrantWriter writer = fixture.connect()) {
      ClientGrant first = writer.client.grant(GrantFixture.APPLICATION, BYTES, BYTES);
      ClientGrant second = writer.client.grant(GrantFixture.APPLICATION, BYTES, BYTES);
      cutFirstPool(fixture);

      writer.client.abandon(new long[] {first.terms().grant(), second.terms().grant()});

      awaitSecondPoolEmpty(fixture);
      assertThat(writer.writeAnyway(second, 0, 100)).isPresent();
    }
  }

  @Test
  void aCommitWhoseFirstSegmentIsLostGivesTheSpaceOfTheOthersBack() throws IOException {
    try (GrantFixture fixture = fixture();
        GrantWriter writer = fixture.connect()) {
      ClientGrant first = writer.client.grant(GrantFixture.APPLICATION, BYTES, BYTES);
      ClientGrant second = writer.client.grant(GrantFixture.APPLICATION, BYTES, BYTES);
      cutFirstPool(fixture);

      assertThatThrownBy(
              () ->
                  writer.client.commit(
                      new CommitLayout.Request(
                          GrantFixture.key(1), 2, List.of(segment(first), segment(second)), NONE)))
          .isInstanceOf(StoreException.class);

      awaitSecondPoolEmpty(fixture);
    }
  }

  private static CommitLayout.WireSegment segment(ClientGrant grant) {
    return new CommitLayout.WireSegment(grant.terms().grant(), 0, new long[] {0, 100});
  }

  /** One grant of {@link #BYTES} fills a pool. */
  private static GrantFixture fixture() {
    return new GrantFixture(false, GrantOptions.defaults().withLease(Duration.ofSeconds(4)));
  }

  private static void cutFirstPool(GrantFixture fixture) throws IOException {
    assertThat(fixture.store.usage().pools()).hasSize(2);
    assertThat(fixture.store.usage().pools().get(1).used()).isGreaterThanOrEqualTo(BYTES);
    try (RandomAccessFile pool =
        new RandomAccessFile(fixture.directory.resolve("granting-0.pool").toFile(), "rw")) {
      pool.setLength(0);
    }
  }

  private static void awaitSecondPoolEmpty(GrantFixture fixture) {
    Await.until("the space to come back", () -> fixture.store.usage().pools().get(1).used() == 0);
    assertThat(fixture.server.grants().open()).isZero();
    assertThat(fixture.server.grants().quarantined()).isZero();
  }
}
