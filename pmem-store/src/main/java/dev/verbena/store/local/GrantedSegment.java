// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

/**
 * A segment as its remote writer tells of it; nothing of it is trusted.
 *
 * @param extent where it was granted
 * @param first the first partition that it covers
 * @param offsets where each covered partition starts in the payload, and the end
 */
public record GrantedSegment(GrantedExtent extent, int first, long[] offsets) {}
