// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.metrics;

import java.util.Locale;

/** What brought a block to its reader. */
public enum Carrier {
  /** The reader's own store. */
  OWN,
  /** Loads from the mapped memory of a store on the same host. */
  MAPPED,
  /** A verbs READ through shared memory. */
  SHM,
  /** A verbs READ over tcp. */
  TCP,
  /** Spark's own block transfer: a fallback. */
  NETTY;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** Its name in metrics. */
  public String label() {
    return label;
  }

  /**
   * The carrier of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Carrier labelled(String label) {
    return valueOf(label.toUpperCase(Locale.ROOT));
  }
}
