// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

/** What a FLUSH covers: ibv_wr_flush(3), ib_selectivity_level. */
public enum FlushLevel {
  /** The range that the request names. */
  RANGE,
  /** The whole region of the key; address and length mean nothing. */
  REGION
}
