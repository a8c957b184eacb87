// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

/**
 * A published record that was found intact when a pool was opened.
 *
 * @param extent where it is
 * @param header its header
 * @param publishWord its publish word
 */
public record RecoveredRecord(Extent extent, RecordHeader header, long publishWord) {}
