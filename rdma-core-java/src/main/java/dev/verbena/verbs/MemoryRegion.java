// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

import dev.verbena.memory.MappedMemory;

/** A range of memory that the device may access: ibv_reg_mr(3). Thread-safe. */
public interface MemoryRegion extends AutoCloseable {
  /** The memory that was registered. */
  MappedMemory memory();

  /** First byte of the region within {@link #memory()}. */
  long offset();

  /** Bytes. */
  long length();

  /**
   * What work requests and peers call the region's first byte; opaque, linear within the region.
   */
  long address();

  /** The key for local buffers. */
  int localKey();

  /** The key that peers present; give it only to those who may have it. */
  int remoteKey();

  /**
   * Deregisters: when it returns, no operation of any peer touches the range any more, and later
   * ones end in REMOTE_ACCESS_ERROR. Must come before the memory is closed.
   *
   * @throws VerbsException INVALID_STATE while windows are bound to it, TIMED_OUT if a peer is
   *     stopped in the middle of an access; the memory must then not be reused until that peer
   *     resumes or dies, which closing again waits for
   */
  @Override
  void close();
}
