// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

import dev.verbena.memory.MappedMemory;
import dev.verbena.memory.PersistentRegion;
import java.util.Set;

/** Groups queue pairs with the regions they may use: ibv_alloc_pd(3). Thread-safe. */
public interface ProtectionDomain extends AutoCloseable {
  /**
   * Registers a range.
   *
   * @param memory from {@link Device#allocate}, a mapped pool, or a wrapped direct buffer, which
   *     costs the owner's CPU where peers would else reach it by themselves
   * @param offset first byte within {@code memory}
   * @param length bytes, at least 1
   * @throws VerbsException INVALID_ARGUMENT for a bad range or flag combination, NO_RESOURCES
   */
  MemoryRegion register(MappedMemory memory, long offset, long length, Set<AccessFlag> access);

  /**
   * Registers a range of memory that can be made durable, as {@link #register(MappedMemory, long,
   * long, Set)} does: only there FLUSH_PERSISTENT may be given, and a peer's FLUSH of type
   * PERSISTENT calls {@link PersistentRegion#persist}, on a thread of the device.
   */
  MemoryRegion register(PersistentRegion memory, long offset, long length, Set<AccessFlag> access);

  /**
   * Allocates a window of type 2B, not bound yet.
   *
   * @throws VerbsException NO_RESOURCES
   */
  MemoryWindow allocateWindow();

  /** Creates a queue pair in state RESET. */
  QueuePair createQueuePair(QueuePairAttributes attributes);

  /** Creates a shared receive queue. */
  SharedReceiveQueue createSharedReceiveQueue(SharedReceiveQueueAttributes attributes);

  /** Frees the domain; INVALID_STATE while regions or queues of it exist. */
  @Override
  void close();
}
