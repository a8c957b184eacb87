// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.index;

/**
 * Where a map output's manifest is. Locations are {@link dev.verbena.store.pool.Location}s.
 *
 * @param key the map output
 * @param partitions its number of partitions
 * @param manifest location of the manifest's record
 * @param manifestBytes bytes of the manifest's payload
 * @param publishWord the record's publish word: it still stands as long as the output does
 */
public record IndexEntry(
    IndexKey key, int partitions, long manifest, int manifestBytes, long publishWord) {}
