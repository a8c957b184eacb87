// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.rpc.BulkChannel;
import dev.verbena.store.local.GrantedExtent;
import dev.verbena.time.Deadline;

/** Opens granted space to one peer; chosen once, by what the device has. Thread-safe. */
interface GrantKeys {
  /**
   * Opens a record, or a run of them, and its publish words to who is at the other end of {@code
   * peer}.
   *
   * @throws dev.verbena.rpc.RpcException if the connection is broken
   * @throws dev.verbena.verbs.VerbsException NO_RESOURCES
   */
  KeyPair open(BulkChannel peer, GrantedExtent extent, Deadline deadline);

  /** Bytes of payload below which a grant is not worth its keys. */
  long leastBytes();
}
