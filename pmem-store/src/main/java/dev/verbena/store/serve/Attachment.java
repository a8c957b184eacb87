// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import java.util.List;

/**
 * What a store tells those who may read it.
 *
 * @param indexDescriptor location of the index descriptor
 * @param pools the pools now
 */
record Attachment(long indexDescriptor, List<RemotePool> pools) {
  Attachment {
    pools = List.copyOf(pools);
  }
}
