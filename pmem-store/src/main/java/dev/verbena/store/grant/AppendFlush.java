// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.memory.DurabilityMethod;
import dev.verbena.rpc.BulkBatch;
import dev.verbena.rpc.RegisteredBuffer;

/** How a batch makes durable what its WRITEs brought; chosen by what both devices have. */
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

  /** What it is called. */
  DurabilityMethod method();

  /** Whether it brings bytes further than the memory of the store's process. */
  boolean isPersistent();

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

    @Override
    public DurabilityMethod method() {
      return DurabilityMethod.FLUSH;
    }

    @Override
    public boolean isPersistent() {
      return true;
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

    @Override
    public DurabilityMethod method() {
      return DurabilityMethod.READ_AFTER_WRITE;
    }

    @Override
    public boolean isPersistent() {
      return false;
    }
  }
}
