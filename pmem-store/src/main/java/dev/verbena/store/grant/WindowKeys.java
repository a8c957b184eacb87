// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.rpc.BulkBatch;
import dev.verbena.rpc.BulkChannel;
import dev.verbena.store.local.GrantedExtent;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.MemoryWindow;
import dev.verbena.verbs.ProtectionDomain;
import java.util.List;
import java.util.Set;

/** Two windows of type 2B a grant, bound to the queue pair of the peer that asked. */
final class WindowKeys implements GrantKeys {
  private final ProtectionDomain domain;
  private final GrantMemory memory;

  WindowKeys(ProtectionDomain domain, GrantMemory memory) {
    this.domain = domain;
    this.memory = memory;
  }

  @Override
  public KeyPair open(BulkChannel peer, GrantedExtent extent, boolean flush, Deadline deadline) {
    MemoryRegion region = memory.region(extent.poolNumber()).orElseThrow();
    Set<AccessFlag> access = GrantKeys.access(flush);
    MemoryWindow record = domain.allocateWindow();
    MemoryWindow word = null;
    boolean bound = false;
    try {
      word = domain.allocateWindow();
      long bytes = extent.recordBytes();
      BulkBatch binds =
          new BulkBatch(2)
              .bind(record, region, extent.offset(), bytes, access)
              .bind(word, region, extent.wordOffset(), extent.wordBytes(), access);
      peer.transfer(binds, deadline);
      bound = true;
      return new KeyPair(
          record.remoteKey(),
          region.address() + extent.offset(),
          word.remoteKey(),
          region.address() + extent.wordOffset(),
          new StoreFlush.InPlace(extent),
          List.of(record, word));
    } finally {
      if (!bound) {
        record.close();
        if (word != null) {
          word.close();
        }
      }
    }
  }

  @Override
  public long leastBytes() {
    return 1;
  }
}
