// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.memory.DurabilityMethod;

/**
 * What was done for a record, or for all records of an output.
 *
 * @param domain what it survives
 * @param method how the writer had it made durable
 */
public record Durability(DurabilityDomain domain, DurabilityMethod method) {
  /** What holds for both. */
  Durability and(Durability other) {
    return other.domain.compareTo(domain) < 0 ? other : this;
  }
}
