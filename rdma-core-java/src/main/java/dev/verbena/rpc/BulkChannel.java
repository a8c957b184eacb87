// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.RemoteMapping;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One-sided transfers between registered memory of the two ends of a connection, on a queue pair of
 * class BULK of its own. The peer's processor takes no part. Thread-safe.
 *
 * <p>Transfers of one batch start in order; a READ may be overtaken by what follows it. Batches of
 * several threads interleave. A transfer that fails breaks the connection, as verbs have it: every
 * open batch and call then ends with the first failure as its cause.
 */
public interface BulkChannel {
  /**
   * What carries the transfers, as counted in reports: "shm", "tcp", "rxe" or a hardware's name.
   */
  String carrier();

  /**
   * Posts a batch with one doorbell, or as few as the send queue's depth allows. The batch must not
   * be touched until the callback.
   *
   * @param deadline by when it must be done; if it passes, the connection is broken and the
   *     callback is told TIMED_OUT once no transfer can touch local memory any more
   * @throws RpcException DISCONNECTED or CLOSED; then nothing was posted and the callback is not
   *     called
   */
  void submit(BulkBatch batch, Deadline deadline, BulkCallback callback);

  /** As {@link #submit}, and waits until it is done, polling for it itself if nobody else does. */
  void transfer(BulkBatch batch, Deadline deadline);

  /**
   * As {@link #submit}, with a future; it is complete on return if the carrier was done at once.
   */
  default CompletableFuture<Void> transferAsync(BulkBatch batch, Deadline deadline) {
    CompletableFuture<Void> future = new CompletableFuture<>();
    submit(
        batch,
        deadline,
        (done, failure) -> {
          if (failure == null) {
            future.complete(null);
          } else {
            future.completeExceptionally(failure);
          }
        });
    return future;
  }

  /**
   * Opens a range of the peer's memory for direct loads if both ends share a host, else empty. A
   * wrong key or range shows here as REMOTE_ACCESS, or when the mapping is read, which is where the
   * peer may have taken the range back meanwhile.
   *
   * @throws RpcException DISCONNECTED, CLOSED or REMOTE_ACCESS
   */
  Optional<RemoteMapping> mapRemote(long remoteAddress, long length, int remoteKey);
}
