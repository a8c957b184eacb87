// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.metrics;

import static java.util.Locale.ROOT;

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
  /** A verbs READ by the kernel's soft-RoCE. */
  RXE,
  /** A verbs READ by a network card. */
  RDMA,
  /** Spark's own block transfer: a fallback. */
  NETTY;

  private final String label = name().toLowerCase(ROOT);

  /** Its name in metrics. */
  public String label() {
    return label;
  }

  /** The carrier of that name; a network card is called by its driver. */
  public static Carrier labelled(String label) {
    for (Carrier carrier : values()) {
      if (carrier.label.equals(label)) {
        return carrier;
      }
    }
    return RDMA;
  }
}
