// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

/**
 * What a record says of itself.
 *
 * @param kind what its payload is; the owner of the pool numbers its kinds
 * @param applicationHash the application, as a hash of its id
 * @param shuffle the shuffle
 * @param mapAttempt the map task attempt
 */
public record RecordId(int kind, long applicationHash, int shuffle, long mapAttempt) {}
