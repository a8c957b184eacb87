// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsProvider;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BulkOperationTest {
  private static final Deadline DEADLINE = Deadline.after(Duration.ofMinutes(1));
  private static final int PIECE = 1 << 20;

  @Test
  void aWordIsFencedBehindAReadAndNowhereElse() {
    try (Device device = VerbsProvider.named("soft").open(DeviceOptions.defaults())) {
      ProtectionDomain domain = device.createProtectionDomain();
      BufferPool pool = new BufferPool(device, domain, Set.of(AccessFlag.LOCAL_WRITE), PIECE);
      try (RegisteredBuffer buffer = pool.acquire(64, DEADLINE)) {
        BulkBatch batch = new BulkBatch(4);
        assertThat(isWordFenced(batch.read(buffer, 0, 0, 0, 8).publish(0, 0, 1))).isTrue();
        // Used again, it has forgotten its READ.
        assertThat(isWordFenced(batch.clear().write(buffer, 0, 0, 0, 8).publish(0, 0, 1)))
            .isFalse();
        assertThat(isWordFenced(batch.clear().flush(0, 0, 8).publish(0, 0, 1))).isFalse();
        assertThat(isWordFenced(batch.clear().publish(0, 0, 1).read(buffer, 0, 0, 0, 8))).isFalse();
        batch.clear();
      }
      pool.close();
    }
  }

  /** Describes a batch up to its word. */
  private static boolean isWordFenced(BulkBatch batch) {
    BulkOperation operation = batch.operation();
    int use = operation.begin(DEADLINE, (done, failure) -> {});
    SendRequest request = new SendRequest(1);
    WordPublisher publisher = new WordPublisher.AtomicWrite();
    do {
      assertThat(operation.isOpen(use)).isTrue();
      operation.nextPiece(request, 0, 0, PIECE, publisher);
    } while (request.operation() != SendRequest.Operation.ATOMIC_WRITE);
    return request.isFenced();
  }
}
