// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.rpc.BulkChannel;
import dev.verbena.store.local.GrantedExtent;
import dev.verbena.store.pool.RecordLayout;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Two regions a grant, where the device has no windows. Their keys work on every queue pair of the
 * protection domain, and registering is slow: so the grants are large.
 */
final class RegionKeys implements GrantKeys {
  private static final long LEAST_BYTES = 4L << 20;

  private final ProtectionDomain domain;
  private final Set<AccessFlag> access;

  RegionKeys(ProtectionDomain domain, Set<AccessFlag> access) {
    this.domain = domain;
    this.access = EnumSet.copyOf(access);
    this.access.add(AccessFlag.LOCAL_WRITE);
  }

  @Override
  public KeyPair open(BulkChannel peer, GrantedExtent extent, Deadline deadline) {
    long bytes = RecordLayout.HEADER_BYTES + extent.payloadCapacity();
    MemoryRegion record = domain.register(extent.pool(), extent.offset(), bytes, access);
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
