// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.rpc.BulkBatch;
import dev.verbena.rpc.RegisteredBuffer;

/** How a batch gets what its WRITEs brought out of the devices; chosen by what both have. */
interface AppendFlush {
  /**
   * Adds the step, which ends before later steps begin.
   *
   * @param scratch 8 bytes at {@code scratchOffset} that may be overwritten
   */
  void add(
      BulkBatch batch,
      long address,
      int key,
      long length,
      RegisteredBuffer scratch,
      long scratchOffset);

  /** FLUSH of type PERSISTENT. */
  final class NicFlush implements AppendFlush {
    @Override
    public void add(
        BulkBatch batch,
        long address,
        int key,
        long length,
        RegisteredBuffer scratch,
        long scratchOffset) {
      batch.flush(address, key, length);
    }
  }

  /** A READ of the last bytes, which no device answers before the WRITEs are in memory. */
  final class ReadAfterWrite implements AppendFlush {
    @Override
    public void add(
        BulkBatch batch,
        long address,
        int key,
        long length,
        RegisteredBuffer scratch,
        long scratchOffset) {
      batch.read(scratch, scratchOffset, address + length - Long.BYTES, key, Long.BYTES);
    }
  }
}
