// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.Await;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.SendRequest;
import java.util.EnumSet;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Atomics of a shm peer, of a tcp peer and of the owner's CPU meet on one qword. */
final class MixedCarrierAtomicsTest {
  private static final int EACH = 3000;

  @Test
  void noAdditionIsLostBetweenCarriersAndTheCpu() {
    try (SoftConnector connector = new SoftConnector();
        Device target = SoftConnector.open(CarrierPolicy.AUTOMATIC);
        Device near = SoftConnector.open(CarrierPolicy.AUTOMATIC);
        Device far = SoftConnector.open(CarrierPolicy.TCP_ONLY)) {
      ProtectionDomain domain = target.createProtectionDomain();
      MappedMemory memory = target.allocate(64);
      MemoryRegion counter =
          domain.register(
              memory, 0, 64, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC));
      SoftConnector.End overShm =
          connector.connect(near, target, SoftConnector.end(target, domain));
      SoftConnector.End overTcp = connector.connect(far, target, SoftConnector.end(target, domain));
      assertThat(overShm.queuePair().carrier()).contains("shm");
      assertThat(overTcp.queuePair().carrier()).contains("tcp");
      MemoryRegion nearLanding = landing(near, overShm);
      MemoryRegion farLanding = landing(far, overTcp);
      Future<?> shm = connector.async(() -> add(overShm, nearLanding, counter));
      Future<?> tcp = connector.async(() -> add(overTcp, farLanding, counter));
      for (int i = 0; i < EACH; i++) {
        memory.getAndAddLong(0, 1);
      }
      Await.result("adding over shm", shm);
      Await.result("adding over tcp", tcp);
      assertThat(memory.getLongVolatile(0)).isEqualTo(3L * EACH);
    }
  }

  private static MemoryRegion landing(Device device, SoftConnector.End end) {
    return end.domain().register(device.allocate(8), 0, 8, EnumSet.of(AccessFlag.LOCAL_WRITE));
  }

  private static void add(SoftConnector.End end, MemoryRegion landing, MemoryRegion counter) {
    for (int i = 0; i < EACH; i++) {
      end.post(
          new SendRequest(1)
              .fetchAndAdd(i, counter.address(), counter.remoteKey(), 1)
              .buffer(landing.address(), 8, landing.localKey())
              .signaled());
      assertThat(end.next().isSuccess()).isTrue();
    }
  }
}
