// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.Await;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsProvider;
import dev.verbena.verbs.WorkCompletion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Atomics of a shm peer, of a tcp peer and of the owner's CPU meet on one qword. */
final class MixedCarrierAtomicsTest {
  private static final int EACH = 3000;
  private static final byte[] NOTHING = {};

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  @Test
  void noAdditionIsLostBetweenCarriersAndTheCpu() throws Exception {
    try (Device target = open(CarrierPolicy.AUTOMATIC);
        Device near = open(CarrierPolicy.AUTOMATIC);
        Device far = open(CarrierPolicy.TCP_ONLY)) {
      ProtectionDomain domain = target.createProtectionDomain();
      MappedMemory memory = target.allocate(64);
      MemoryRegion counter =
          domain.register(
              memory, 0, 64, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC));
      Adder overShm = connect(near, target, domain);
      Adder overTcp = connect(far, target, domain);
      assertThat(overShm.queuePair.carrier()).contains("shm");
      assertThat(overTcp.queuePair.carrier()).contains("tcp");
      Future<?> shm = threads.submit(() -> overShm.add(counter));
      Future<?> tcp = threads.submit(() -> overTcp.add(counter));
      for (int i = 0; i < EACH; i++) {
        memory.getAndAddLong(0, 1);
      }
      Await.result("adding over shm", shm);
      Await.result("adding over tcp", tcp);
      assertThat(memory.getLongVolatile(0)).isEqualTo(3L * EACH);
    }
  }

  private static Device open(CarrierPolicy policy) {
    return VerbsProvider.named("soft").open(DeviceOptions.defaults().withCarrier(policy));
  }

  private Adder connect(Device from, Device to, ProtectionDomain domain) {
    CompletionQueue there = to.createCompletionQueue(16, null);
    QueuePair passive = domain.createQueuePair(QueuePairAttributes.of(there, there));
    CompletionQueue here = from.createCompletionQueue(256, null);
    ProtectionDomain own = from.createProtectionDomain();
    QueuePair active = own.createQueuePair(QueuePairAttributes.of(here, here));
    try (Listener listener =
        to.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1)) {
      Future<?> accepted = threads.submit(() -> accept(listener, passive));
      from.connect(active, new ConnectionParameters(listener.address(), null, NOTHING, deadline()));
      Await.result("accepting", accepted);
    }
    MappedMemory memory = from.allocate(8);
    return new Adder(here, active, own.register(memory, 0, 8, EnumSet.of(AccessFlag.LOCAL_WRITE)));
  }

  private static Void accept(Listener listener, QueuePair passive) throws InterruptedException {
    listener.nextRequest(deadline()).accept(passive, NOTHING, deadline());
    return null;
  }

  /** The active end of a connection. */
  private record Adder(CompletionQueue completions, QueuePair queuePair, MemoryRegion landing) {
    Void add(MemoryRegion counter) {
      WorkCompletion[] one = WorkCompletion.array(1);
      for (int i = 0; i < EACH; i++) {
        queuePair.postSend(
            new SendRequest(1)
                .fetchAndAdd(i, counter.address(), counter.remoteKey(), 1)
                .buffer(landing.address(), 8, landing.localKey())
                .signaled());
        Await.until("an addition", () -> completions.poll(one) == 1);
        assertThat(one[0].isSuccess()).as(one[0].toString()).isTrue();
      }
      return null;
    }
  }

  private static Deadline deadline() {
    return Deadline.after(Await.PATIENCE);
  }
}
