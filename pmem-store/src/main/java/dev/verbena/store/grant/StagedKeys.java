// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.memory.MappedMemory;
import dev.verbena.rpc.BulkChannel;
import dev.verbena.store.local.GrantedExtent;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import java.util.List;
import java.util.Set;

/**
 * Memory of the device beside the pool, for pools that the device can't register: file systems with
 * DAX, on a device without paging on demand. It takes as much memory again as is granted. What is
 * written there gets to the pool only when the writer asks the store to persist it.
 */
final class StagedKeys implements GrantKeys {
  private static final Set<AccessFlag> ACCESS =
      Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);

  private final Device device;
  private final ProtectionDomain domain;

  StagedKeys(Device device, ProtectionDomain domain) {
    this.device = device;
    this.domain = domain;
  }

  @Override
  public KeyPair open(BulkChannel peer, GrantedExtent extent, boolean flush, Deadline deadline) {
    Staged records = staged(extent.recordBytes());
    boolean done = false;
    try {
      Staged words = staged(extent.wordBytes());
      done = true;
      return new KeyPair(
          records.region().remoteKey(),
          records.region().address(),
          words.region().remoteKey(),
          words.region().address(),
          new StoreFlush.Copied(extent, records.memory(), words.memory()),
          List.of(records, words));
    } finally {
      if (!done) {
        records.close();
      }
    }
  }

  private Staged staged(long bytes) {
    MappedMemory memory = device.allocate(bytes);
    boolean done = false;
    try {
      Staged made = new Staged(memory, domain.register(memory, 0, bytes, ACCESS));
      done = true;
      return made;
    } finally {
      if (!done) {
        memory.close();
      }
    }
  }

  /** Memory of one grant; it stays as long as a peer may write there. */
  private record Staged(MappedMemory memory, MemoryRegion region) implements AutoCloseable {
    @Override
    public void close() {
      region.close();
      memory.close();
    }
  }

  @Override
  public long leastBytes() {
    return RegionKeys.LEAST_BYTES;
  }
}
