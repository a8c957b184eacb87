// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.rpc.BulkChannel;
import dev.verbena.store.local.GrantedExtent;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import java.util.List;
import java.util.Set;

/**
 * Two regions a grant, where the device has no windows that are worth the name. Their keys work on
 * every queue pair of the protection domain, and registering is slow: so the grants are large.
 */
final class RegionKeys implements GrantKeys {
  static final long LEAST_BYTES = 4L << 20;

  private final ProtectionDomain domain;

  RegionKeys(ProtectionDomain domain) {
    this.domain = domain;
  }

  @Override
  public KeyPair open(BulkChannel peer, GrantedExtent extent, boolean flush, Deadline deadline) {
    Set<AccessFlag> access = GrantKeys.access(flush);
    access.add(AccessFlag.LOCAL_WRITE);
    MemoryRegion record =
        domain.register(extent.pool(), extent.offset(), extent.recordBytes(), access);
    boolean done = false;
    try {
      MemoryRegion word =
          domain.register(extent.pool(), extent.wordOffset(), extent.wordBytes(), access);
      done = true;
      return new KeyPair(
          record.remoteKey(),
          record.address(),
          word.remoteKey(),
          word.address(),
          new StoreFlush.InPlace(extent),
          List.of(record, word));
    } finally {
      if (!done) {
        record.close();
      }
    }
  }

  @Override
  public long leastBytes() {
    return LEAST_BYTES;
  }
}
