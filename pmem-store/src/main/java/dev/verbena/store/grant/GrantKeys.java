// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.rpc.BulkChannel;
import dev.verbena.store.local.GrantedExtent;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AccessFlag;
import java.util.EnumSet;
import java.util.Set;

/** Opens granted space to one peer; chosen once, by what the device has. Thread-safe. */
interface GrantKeys {
  /**
   * Opens a record, or a run of them, and its publish words to who is at the other end of {@code
   * peer}.
   *
   * @param flush whether to allow FLUSH of type PERSISTENT
   * @throws dev.verbena.rpc.RpcException if the connection is broken
   * @throws dev.verbena.verbs.VerbsException NO_RESOURCES
   */
  KeyPair open(BulkChannel peer, GrantedExtent extent, boolean flush, Deadline deadline);

  /** What a peer may do with granted space. */
  static Set<AccessFlag> access(boolean flush) {
    Set<AccessFlag> access = EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);
    if (flush) {
      access.add(AccessFlag.FLUSH_PERSISTENT);
    }
    return access;
  }

  /** Bytes of payload below which a grant is not worth its keys. */
  long leastBytes();
}
