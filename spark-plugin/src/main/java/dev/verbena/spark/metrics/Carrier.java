// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.metrics;

import static java.util.Locale.ROOT;

import java.util.Arrays;

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

  private final String label = name().toLowerCase(ROOT);

  /** Its name in metrics. */
  public String label() {
    return label;
  }

  /**
   * The carrier of that name.
   *
   * @throws IllegalArgumentException naming the known ones if there is none
   */
  public static Carrier labelled(String label) {
    for (Carrier carrier : values()) {
      if (carrier.label.equals(label)) {
        return carrier;
      }
    }
    throw new IllegalArgumentException(
        "carrier '" + label + "', expected one of " + Arrays.toString(values()).toLowerCase(ROOT));
  }
}
