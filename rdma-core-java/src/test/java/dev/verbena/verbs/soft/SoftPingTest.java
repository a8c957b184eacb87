// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.ConnectionRequest;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsProvider;
import dev.verbena.verbs.WorkCompletion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SoftPingTest {
  private static final Deadline DEADLINE = Deadline.after(Duration.ofSeconds(20));

  private record End(
      Device device,
      ProtectionDomain domain,
      CompletionQueue queue,
      QueuePair pair,
      MemoryRegion region) {
    static End on(Device device) {
      ProtectionDomain domain = device.createProtectionDomain();
      CompletionQueue queue = device.createCompletionQueue(256, null);
      QueuePair pair = domain.createQueuePair(QueuePairAttributes.of(queue, queue));
      MappedMemory memory = device.allocate(1 << 22);
      return new End(
          device,
          domain,
          queue,
          pair,
          domain.register(
              memory,
              0,
              memory.size(),
              EnumSet.range(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC)));
    }
  }

  private static WorkCompletion poll(CompletionQueue queue) {
    WorkCompletion[] one = WorkCompletion.array(1);
    while (queue.poll(one) == 0) {
      assertThat(DEADLINE.hasPassed()).isFalse();
      Thread.onSpinWait();
    }
    return one[0];
  }

  @ParameterizedTest
  @EnumSource
  void aSendArrivesInTheReceiveOfTheOtherDevice(CarrierPolicy policy) throws Exception {
    try (Device a = VerbsProvider.named("soft").open(DeviceOptions.defaults().withCarrier(policy));
        Device b = VerbsProvider.named("soft").open(DeviceOptions.defaults().withCarrier(policy));
        Listener listener =
            b.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8)) {
      End active = End.on(a);
      End passive = End.on(b);
      passive.pair.postReceive(
          new ReceiveRequest(1)
              .begin(7)
              .buffer(passive.region.address() + 64, 100, passive.region.localKey()));
      CompletableFuture<Void> accepted =
          CompletableFuture.runAsync(
              () -> {
                try {
                  ConnectionRequest request = listener.nextRequest(DEADLINE);
                  request.accept(passive.pair, new byte[] {2}, DEADLINE);
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      byte[] answer =
          a.connect(
              active.pair,
              new ConnectionParameters(listener.address(), null, new byte[] {1}, DEADLINE));
      accepted.join();
      assertThat(answer).containsExactly(2);
      assertThat(active.pair.carrier()).contains(policy == CarrierPolicy.TCP_ONLY ? "tcp" : "shm");

      active.region.memory().putLong(0, 0x1122334455667788L);
      active.pair.postSend(
          new SendRequest(1)
              .send(5)
              .buffer(active.region.address(), 8, active.region.localKey())
              .signaled());
      WorkCompletion sent = poll(active.queue);
      assertThat(sent.requestId()).isEqualTo(5);
      assertThat(sent.isSuccess()).isTrue();
      WorkCompletion received = poll(passive.queue);
      assertThat(received.requestId()).isEqualTo(7);
      assertThat(received.byteLength()).isEqualTo(8);
      assertThat(passive.region.memory().getLong(64)).isEqualTo(0x1122334455667788L);

      active.region.memory().putLong(3_000_000, 42);
      active.pair.postSend(
          new SendRequest(1)
              .write(6, passive.region.address(), passive.region.remoteKey())
              .buffer(active.region.address(), 1 << 22, active.region.localKey())
              .signaled());
      assertThat(poll(active.queue).isSuccess()).isTrue();
      assertThat(passive.region.memory().getLong(3_000_000)).isEqualTo(42);
    }
  }
}
