// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.metrics;

import dev.verbena.store.StoreException;

/** Why blocks, or an application, did not go the way that was asked for. */
public enum FallbackReason {
  /** The driver knows of no store of that executor. */
  UNKNOWN_STORE("unknownStore"),
  /** The store can't be reached, or the connection broke. */
  DISCONNECTED("disconnected"),
  /** A deadline passed. */
  TIMED_OUT("timedOut"),
  /** The store refused: secret, version or incarnation. */
  REJECTED("rejected"),
  /** The store has no such block. */
  NOT_FOUND("notFound"),
  /** What was read does not decompress, or its checksum is wrong. */
  CORRUPT("corrupt"),
  /** This executor has no verbs: its device could not be opened. */
  NO_DEVICE("noDevice"),
  /** The application is set up in a way that needs Spark's own shuffle. */
  SORT_SHUFFLE("sortShuffle"),
  /** Anything else; the log has it. */
  OTHER("other");

  private final String label;

  FallbackReason(String label) {
    this.label = label;
  }

  /** Its name in metrics. */
  public String label() {
    return label;
  }

  /** The reason behind a failure of a store. */
  public static FallbackReason of(StoreException failure) {
    return switch (failure.code()) {
      case DISCONNECTED, CLOSED -> DISCONNECTED;
      case TIMED_OUT -> TIMED_OUT;
      case REJECTED -> REJECTED;
      case NOT_FOUND -> NOT_FOUND;
      case CORRUPT -> CORRUPT;
      default -> OTHER;
    };
  }
}
