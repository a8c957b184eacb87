// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import static dev.verbena.store.agent.AgentFixture.block;
import static dev.verbena.store.agent.AgentFixture.read;
import static dev.verbena.store.agent.AgentFixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.throwable;

import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.StoreException;
import dev.verbena.store.serve.RemoteWriters;
import dev.verbena.testing.Await;
import dev.verbena.testing.ChildJvm;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StoreAgentTest {
  private static final Duration SOON = Duration.ofMillis(200);

  private final AgentFixture fixture = new AgentFixture();

  @AfterEach
  void clear() {
    fixture.close();
  }

  private static void expectFailure(StoreException.Code code, String text, Runnable action) {
    assertThatThrownBy(action::run)
        .asInstanceOf(throwable(StoreException.class))
        .satisfies(e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(text);
  }

  private List<String> applications() {
    return fixture.client().status().applications().stream().map(ApplicationStatus::id).toList();
  }

  @Test
  void blocksOutliveTheProcessThatWroteThem() {
    try (StoreAgent agent = fixture.start();
        AgentAttachment reader = fixture.attach("app")) {
      try (ChildJvm executor = AgentChild.application(fixture.directory, "app")) {
        executor.kill();
      }
      assertThat(read(reader, "app", 1)).isEqualTo(block(1));
      Await.until(
          "the dead process to let go", () -> agent.status().applications().get(0).holders() == 1);
    }
  }

  @Test
  void anAgentThatIsKilledServesTheSameBlocksAgainInPlace() {
    try (ChildJvm first = AgentChild.agent(fixture.directory);
        AgentAttachment writer = fixture.attach("app")) {
      write(writer, "app", 1);
      assertThat(writer.isHeld()).isTrue();
      first.kill();
      Await.until("the end to be seen", () -> !writer.isHeld());
      expectFailure(
          StoreException.Code.DISCONNECTED, "no agent answers at", () -> fixture.client().status());
    }
    try (StoreAgent second = fixture.start()) {
      expectFailure(
          StoreException.Code.REJECTED,
          "by another secret",
          () -> AgentAttachment.attach(fixture.client(), "app", AgentFixture.OTHER_SECRET).close());
      try (AgentAttachment again = fixture.attach("app")) {
        assertThat(read(again, "app", 1)).isEqualTo(block(1));
        write(again, "app", 2);
        assertThat(second.mapOutputs("app")).hasSize(2);
      }
    }
  }

  @Test
  void anAgentThatStopsLetsWhatIsBeingWrittenBeCommittedFirst() throws Exception {
    StoreAgent agent = fixture.start();
    try (AgentAttachment attached = fixture.attach("app");
        RemoteWriters writers = RemoteWriters.open(attached.options());
        MapOutputWriter writer =
            writers.openMapOutput(attached.store(), AgentFixture.key("app", 1), 1)) {
      writer.append(0, block(1), 0, AgentFixture.BLOCK);
      Thread stopping = new Thread(agent::close, "stopping");
      stopping.start();
      Await.until("draining", () -> fixture.client().status().draining());
      expectFailure(
          StoreException.Code.CLOSED, "is about to end", () -> fixture.attach("app").close());
      expectFailure(
          StoreException.Code.NOT_GRANTED, "about to end", () -> write(attached, "app", 2));
      writer.commit(new long[0]);
      stopping.join(Await.PATIENCE.toMillis());
      assertThat(stopping.isAlive()).isFalse();
    } finally {
      agent.close();
    }
    assertThat(fixture.directory.resolve("agent.sock")).doesNotExist();
    try (StoreAgent next = fixture.start()) {
      assertThat(next.mapOutputs(""))
          .extracting(each -> each.key().mapAttempt())
          .containsExactly(1L);
    }
  }

  @Test
  void theSpaceOfAnApplicationReturnsWhenItSaysThatItIsOver() {
    try (StoreAgent agent = fixture.start();
        AgentAttachment one = fixture.attach("app");
        AgentAttachment other = fixture.attach("other")) {
      long before = agent.status().usage().used();
      write(one, "app", 1);
      write(other, "other", 1);
      one.endApplication();
      assertThat(applications()).containsExactly("other");
      assertThat(read(other, "other", 1)).isEqualTo(block(1));
      other.endApplication();
      assertThat(agent.status().usage().used()).isEqualTo(before);
    }
  }

  @Test
  void manyProcessesOfANewApplicationAttachAtOnce() {
    int processes = 8;
    ExecutorService threads = Executors.newFixedThreadPool(processes);
    try (StoreAgent agent = fixture.start()) {
      List<Future<AgentAttachment>> attaching = new ArrayList<>();
      for (int i = 0; i < processes; i++) {
        attaching.add(threads.submit(() -> fixture.attach("app")));
      }
      List<AgentAttachment> attached =
          attaching.stream().map(each -> Await.result("attaching", each)).toList();
      assertThat(attached).extracting(AgentAttachment::store).containsOnly(attached.get(0).store());
      assertThat(agent.status().applications().get(0).holders()).isEqualTo(processes);
      attached.forEach(AgentAttachment::close);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void whoEndsAnApplicationEndsItForAllAndItsNameIsFreeAgain() {
    try (StoreAgent agent = fixture.start();
        AgentAttachment one = fixture.attach("app");
        AgentAttachment two = fixture.attach("app")) {
      write(two, "app", 1);
      one.endApplication();
      Await.until("the other to hear of it", () -> !two.isHeld());
      assertThatThrownBy(() -> write(two, "app", 2)).isInstanceOf(StoreException.class);
      try (AgentAttachment next =
          AgentAttachment.attach(fixture.client(), "app", AgentFixture.OTHER_SECRET)) {
        assertThat(agent.mapOutputs("app")).isEmpty();
        assertThat(agent.status().applications().get(0).holders()).isEqualTo(1);
        assertThat(next.isHeld()).isTrue();
      }
    }
  }

  @Test
  void theSpaceOfAnApplicationReturnsWhenNobodyHoldsItAnyMore() {
    try (StoreAgent agent = fixture.start(SOON);
        AgentAttachment stays = fixture.attach("stays")) {
      write(stays, "stays", 1);
      try (ChildJvm process = AgentChild.application(fixture.directory, "vanishes")) {
        assertThat(applications()).containsExactly("stays", "vanishes");
        process.kill();
      }
      Await.until("its end", () -> !applications().contains("vanishes"));
      assertThat(read(stays, "stays", 1)).isEqualTo(block(1));
      assertThat(agent.mapOutputs("vanishes")).isEmpty();
    }
  }

  @Test
  void aConnectionToItsServerHoldsAnApplicationToo() {
    try (StoreAgent agent = fixture.start(SOON)) {
      AgentAttachment attached = fixture.attach("app");
      try (RemoteWriters elsewhere = RemoteWriters.open(attached.options())) {
        assertThat(elsewhere.removeShuffle(attached.store(), AgentFixture.SHUFFLE)).isZero();
        attached.close();
        fixture.attach("vanishes").close();
        Await.until("the end of another", () -> !applications().contains("vanishes"));
        assertThat(applications()).containsExactly("app");
      }
      Await.until("its end", () -> agent.status().applications().isEmpty());
    }
  }

  @Test
  void whatNobodyHoldsIsCollectedWhenAsked() {
    try (StoreAgent agent = fixture.start();
        AgentAttachment stays = fixture.attach("stays")) {
      AgentAttachment gone = fixture.attach("gone");
      write(gone, "gone", 1);
      gone.close();
      Await.until("it to let go", () -> agent.status().applications().get(0).holders() == 0);
      Await.until(
          "its connections to end", () -> agent.status().applications().get(0).connections() == 0);
      assertThat(fixture.client().collect()).containsExactly("gone");
      assertThat(applications()).containsExactly("stays");
      assertThat(stays.isHeld()).isTrue();
    }
  }

  @Test
  void nobodyWritesAsAnotherApplicationOrReachesItsServer() {
    try (StoreAgent agent = fixture.start();
        AgentAttachment one = fixture.attach("one");
        AgentAttachment other =
            AgentAttachment.attach(fixture.client(), "other", AgentFixture.OTHER_SECRET)) {
      expectFailure(
          StoreException.Code.NOT_GRANTED, "may not write as one", () -> write(one, "other", 1));
      try (RemoteWriters mine = RemoteWriters.open(one.options())) {
        expectFailure(
            StoreException.Code.REJECTED,
            "",
            () -> mine.removeShuffle(other.store(), AgentFixture.SHUFFLE));
      }
      assertThat(agent.mapOutputs("")).isEmpty();
    }
  }

  @Test
  void anApplicationCannotUseMoreThanItsQuota() {
    try (StoreAgent agent = fixture.start();
        AgentAttachment attached = fixture.attach("app");
        RemoteWriters writers = RemoteWriters.open(attached.options());
        MapOutputWriter writer =
            writers.openMapOutput(attached.store(), AgentFixture.key("app", 1), 1)) {
      for (long written = 0; written <= AgentFixture.QUOTA; written += AgentFixture.BLOCK) {
        writer.append(0, block(1), 0, AgentFixture.BLOCK);
      }
      assertThatThrownBy(() -> writer.commit(new long[0]))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("quota of " + AgentFixture.QUOTA);
      assertThat(agent.status().applications().get(0).usedBytes()).isZero();
    }
  }

  @Test
  void aShuffleIsRemovedByItsApplicationFromAnywhere() {
    try (StoreAgent agent = fixture.start();
        AgentAttachment attached = fixture.attach("app");
        RemoteWriters writers = RemoteWriters.open(attached.options())) {
      write(attached, "app", 1);
      write(attached, "app", 2);
      write(attached, "app", 3);
      assertThat(writers.removeMapOutput(attached.store(), AgentFixture.SHUFFLE, 2)).isTrue();
      assertThat(writers.removeMapOutput(attached.store(), AgentFixture.SHUFFLE, 2)).isFalse();
      assertThat(writers.removeShuffle(attached.store(), AgentFixture.SHUFFLE)).isEqualTo(2);
      assertThat(agent.mapOutputs("")).isEmpty();
    }
  }

  @Test
  void withoutTheTokenNobodyAttaches() {
    AgentOptions options =
        AgentFixture.options(fixture.directory, "the token", Duration.ofMinutes(10));
    try (StoreAgent agent = StoreAgent.open(options)) {
      expectFailure(
          StoreException.Code.REJECTED, "wants a token", () -> fixture.attach("app").close());
      expectFailure(
          StoreException.Code.REJECTED,
          "has another token",
          () -> new AgentClient(options.socket(), "a token", AgentFixture.TIMEOUT).status());
      AgentClient client = new AgentClient(options.socket(), "the token", AgentFixture.TIMEOUT);
      try (AgentAttachment attached = AgentAttachment.attach(client, "app", AgentFixture.SECRET)) {
        assertThat(attached.store().name()).isEqualTo(agent.status().name());
      }
    }
  }

  @Test
  void thereIsOneAgentAtASocketAndItIsForItsUserOnly() throws IOException {
    try (StoreAgent agent = fixture.start()) {
      assertThat(
              PosixFilePermissions.toString(
                  Files.getPosixFilePermissions(fixture.directory.resolve("agent.sock"))))
          .isEqualTo("rw-------");
      expectFailure(StoreException.Code.POOL_OWNED, "has an owner", () -> fixture.start().close());
      assertThat(fixture.client().status().name()).isEqualTo(agent.status().name());
    }
  }

  @Test
  void nonsenseAtTheSocketEndsItsConnectionOnly() throws IOException {
    try (StoreAgent agent = fixture.start();
        SocketChannel nonsense =
            SocketChannel.open(
                UnixDomainSocketAddress.of(fixture.directory.resolve("agent.sock")))) {
      nonsense.write(ByteBuffer.wrap(new byte[AgentFrameLayout.HEADER_BYTES]));
      assertThat(nonsense.read(ByteBuffer.allocate(1))).isEqualTo(-1);
      assertThat(fixture.client().status().name()).isEqualTo(agent.status().name());
    }
  }

  @Test
  void blocksOfAnApplicationThatIsNotRememberedAreNobodysToTake() throws IOException {
    try (StoreAgent agent = fixture.start();
        AgentAttachment attached = fixture.attach("app")) {
      write(attached, "app", 1);
      assertThat(agent.mapOutputs("")).hasSize(1);
    }
    try (var remembered = Files.newDirectoryStream(fixture.directory.resolve("state"))) {
      for (var file : remembered) {
        Files.delete(file);
      }
    }
    try (StoreAgent agent = fixture.start()) {
      expectFailure(
          StoreException.Code.REJECTED, "by another secret", () -> fixture.attach("app").close());
      assertThat(agent.collect()).containsExactly("app");
      fixture.attach("app").close();
    }
  }
}
