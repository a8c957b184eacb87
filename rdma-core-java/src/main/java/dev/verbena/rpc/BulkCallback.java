// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

/** Told when a batch of one-sided transfers is done. */
@FunctionalInterface
public interface BulkCallback {
  /**
   * Called once a submitted batch, by the submitting thread if the carrier was done while posting,
   * else by whichever thread polls. Must be short and must not block or throw. The batch may be
   * cleared and submitted again from here.
   *
   * @param failure null if every transfer was done; else some may have been done, and the
   *     connection is broken
   */
  void completed(BulkBatch batch, RpcException failure);
}
