// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

/**
 * What came of a query on one subject.
 *
 * @param kind see there
 * @param detail what differs, or why it failed; empty if all is well
 */
record Verdict(Kind kind, String detail) {
  /** How a result stands to the one that it is held against. */
  enum Kind {
    /** The same rows, and at least one. */
    EQUAL,
    /** Neither has a row, which shows nothing. */
    EMPTY,
    /** Other rows or another schema. */
    DIFFERENT,
    /** One of the two has no result. */
    FAILED,
    /** It is the one that others are held against, or there is none. */
    NOT_COMPARED;

    @Override
    public String toString() {
      return name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
    }
  }

  static Verdict of(Kind kind) {
    return new Verdict(kind, "");
  }

  boolean isBad() {
    return kind == Kind.DIFFERENT || kind == Kind.FAILED;
  }
}
