// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;

/** Finds the memory behind a segment number of one device. Thread-safe, no allocation on a hit. */
interface SegmentMap {
  /** The segment's memory here, or null if there is none or it can't be mapped. */
  MappedMemory memory(int segment);
}
