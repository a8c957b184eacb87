// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.manifest;

/**
 * A part of a range of blocks that lies in one segment.
 *
 * @param segment number of the segment in the manifest
 * @param offset first byte within the segment's payload
 * @param length bytes, above 0
 */
public record Piece(int segment, long offset, long length) {}
