// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

/**
 * A run of chunks for entries of a log that somebody else appends. The entry that starts at chunk n
 * of the run has the sequence and the ordinal of the run's first, plus n.
 *
 * @param extent the space
 * @param firstOrdinal of an entry in the first chunk
 */
public record GrantedRun(GrantedExtent extent, long firstOrdinal) {}
