// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.manifest;

/**
 * A segment as a manifest lists it: one record that holds shares of consecutive partitions.
 *
 * @param record location of the record; its payload follows the record's header
 * @param wordLocation location of its publish word
 * @param publishWord the word that stands there as long as the segment does
 * @param length bytes of the payload
 * @param first the first partition covered
 * @param count number of partitions covered
 */
public record Segment(
    long record, long wordLocation, long publishWord, long length, int first, int count) {}
