// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.VerbsProvider;
import java.nio.ByteBuffer;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OutgoingRendezvousTest {
  /** A peer chooses its ids; whatever it chooses, no buffer is lost. */
  @Test
  void twoMessagesOfOneIdGiveBothBuffersBack() {
    try (Device device = VerbsProvider.named("soft").open(DeviceOptions.defaults())) {
      BufferPool pool =
          new BufferPool(
              device, device.createProtectionDomain(), Set.of(AccessFlag.REMOTE_READ), 1 << 20);
      OutgoingRendezvous outgoing = new OutgoingRendezvous(pool);
      outgoing.offer(7, ByteBuffer.allocate(8192), 0, 8192, null);
      outgoing.offer(7, ByteBuffer.allocate(8192), 0, 8192, null);
      assertThat(pool.isIdle()).isFalse();
      outgoing.release(7);
      assertThat(pool.isIdle()).isTrue();
      outgoing.close();
      pool.close();
    }
  }
}
