// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.verbena.testing.Await;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.QueuePair.State;
import dev.verbena.verbs.VerbsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer that says nothing and closes nothing is given up after the answer timeout. */
class SilentPeerTest {
  private static final Duration TIMEOUT = Duration.ofMillis(600);

  /** Over shm what needs the CPU of the peer's owner; else the peer takes no part. */
  private static final Set<FaultFamily> NEED_THE_OWNER =
      EnumSet.of(FaultFamily.FLUSH, FaultFamily.FOREIGN, FaultFamily.FOREIGN_SEND);

  @Test
  void overShmAStoppedProcessServesAllThatNeedsNoneOfItsCpuAndTheRestEndsInTime() {
    try (FaultBed bed = new FaultBed(CarrierPolicy.AUTOMATIC);
        Device survivor = bed.open("")) {
      for (FaultFamily family :
          EnumSet.of(
              FaultFamily.WRITE, FaultFamily.READ, FaultFamily.ATOMIC, FaultFamily.WINDOW_WRITE)) {
        assertThat(meetStopped(bed, survivor, family)).isEqualTo(CompletionStatus.SUCCESS);
      }
      for (FaultFamily family : NEED_THE_OWNER) {
        assertThat(meetStopped(bed, survivor, family))
            .as(family.toString())
            .isEqualTo(CompletionStatus.TRANSPORT_RETRY_EXCEEDED);
      }
      bed.open("").close();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = FaultFamily.class,
      names = {"SEND", "WRITE", "READ", "ATOMIC", "FLUSH"})
  void overTcpAStoppedProcessIsGivenUp(FaultFamily family) {
    try (FaultBed bed = new FaultBed(CarrierPolicy.TCP_ONLY);
        Device survivor = bed.open("")) {
      assertThat(meetStopped(bed, survivor, family))
          .isEqualTo(CompletionStatus.TRANSPORT_RETRY_EXCEEDED);
      bed.open("").close();
    }
  }

  private static CompletionStatus meetStopped(FaultBed bed, Device survivor, FaultFamily family) {
    FaultEnd end = new FaultEnd(survivor, family, TIMEOUT);
    FaultBed.Child child = bed.start(end, family, false, "");
    child.process().signal("STOP");
    child.process().awaitStopped();
    CompletionStatus status = end.act(family, child.offer(), 0);
    if (status != CompletionStatus.SUCCESS) {
      Await.until("ERROR", () -> end.queuePair().state() == State.ERROR);
    }
    child.process().close();
    end.close();
    return status;
  }

  /** From the third frame on nothing arrives; the connection beneath is as good as ever. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void framesLostInOneDirectionEndInAnErrorAndNotInAWait(boolean requests) {
    String plan = "held; drop FRAME_BUILT";
    for (FaultFamily family :
        EnumSet.of(FaultFamily.SEND, FaultFamily.WRITE, FaultFamily.READ, FaultFamily.FLUSH)) {
      try (FaultBed bed = new FaultBed(CarrierPolicy.TCP_ONLY);
          Device near = bed.open(requests ? plan : "");
          Device far = bed.open(requests ? "" : plan);
          FaultEnd actor = new FaultEnd(near, family, TIMEOUT);
          FaultEnd target = new FaultEnd(far, family, TIMEOUT)) {
        bed.connect(actor, target);
        actor.begin();
        target.begin();
        FaultBed.port(requests ? near : far).begin();
        assertThat(actor.act(family, target.offer(), 0))
            .isEqualTo(CompletionStatus.TRANSPORT_RETRY_EXCEEDED);
      }
    }
  }

  /** An answer timeout is for silence: a READ whose parts come in slowly is not silent. */
  @Test
  void anAnswerThatTakesLongerThanTheTimeoutIsTakenInAsLongAsPartsOfItCome() {
    Duration timeout = Duration.ofMillis(400);
    try (FaultBed bed = new FaultBed(CarrierPolicy.TCP_ONLY);
        Device near = bed.open("");
        Device far = bed.open("link rate 300000");
        FaultEnd actor = new FaultEnd(near, FaultFamily.READ, timeout);
        FaultEnd target = new FaultEnd(far, FaultFamily.READ, timeout)) {
      bed.connect(actor, target);
      actor.begin();
      target.begin();
      assertThat(actor.act(FaultFamily.READ, target.offer(), 0))
          .isEqualTo(CompletionStatus.SUCCESS);
    }
  }

  @Test
  void connectingToAPortBehindWhichNobodyAnswersEndsAtTheDeadline() throws Exception {
    try (FaultBed bed = new FaultBed(CarrierPolicy.AUTOMATIC);
        Device device = bed.open("");
        ServerSocketChannel silent =
            ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
        FaultEnd end = new FaultEnd(device, FaultFamily.SEND, Await.PATIENCE)) {
      InetSocketAddress address = (InetSocketAddress) silent.getLocalAddress();
      VerbsException failure =
          catchThrowableOfType(
              VerbsException.class,
              () ->
                  device.connect(
                      end.queuePair(),
                      new ConnectionParameters(
                          address, null, new byte[0], Deadline.after(TIMEOUT))));
      assertThat(failure.code()).isEqualTo(VerbsException.Code.TIMED_OUT);
      assertThat(failure).hasMessageContaining(String.valueOf(address.getPort()));
    }
  }

  @Test
  void aPeerWhoseWakeSocketIsFullOfWaitersIsGivenUpAtTheDeadline() throws Exception {
    List<SocketChannel> waiters = new ArrayList<>();
    try (FaultBed bed = new FaultBed(CarrierPolicy.AUTOMATIC);
        Device near = bed.open("");
        Device far = bed.open("");
        ServerSocketChannel full = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      SoftDevice peer = (SoftDevice) far;
      Path directory = peer.directory().path();
      Path wakeSocket = DeviceDirectory.wakeSocket(directory);
      Files.delete(wakeSocket);
      full.bind(UnixDomainSocketAddress.of(wakeSocket), 1);
      fill(wakeSocket, waiters);
      PeerLinks links = ((SoftDevice) near).links();
      VerbsException failure =
          catchThrowableOfType(
              VerbsException.class,
              () -> links.shmTo(peer.incarnation(), directory, Deadline.after(TIMEOUT)));
      assertThat(failure.code()).isEqualTo(VerbsException.Code.TIMED_OUT);
      assertThat(failure).hasMessageContaining(wakeSocket.toString());
    } finally {
      for (SocketChannel waiter : waiters) {
        waiter.close();
      }
    }
  }

  private static void fill(Path socket, List<SocketChannel> waiters) throws IOException {
    while (true) {
      SocketChannel waiter = SocketChannel.open(StandardProtocolFamily.UNIX);
      waiters.add(waiter);
      waiter.configureBlocking(false);
      try {
        if (!waiter.connect(UnixDomainSocketAddress.of(socket))) {
          return;
        }
      } catch (SocketException e) {
        assertThat(e).hasMessageContaining("unavailable");
        return;
      }
    }
  }
}
