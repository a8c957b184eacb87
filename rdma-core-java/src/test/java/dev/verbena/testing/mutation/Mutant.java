// SPDX-License-Identifier: Apache-2.0
package dev.verbena.testing.mutation;

/**
 * A site switched off.
 *
 * @param site where
 * @param how what is done instead
 */
public record Mutant(Site site, How how) {
  /** What is done instead. */
  public enum How {
    /** Of a branch: it is always taken. */
    ALWAYS,
    /** Of a branch: it is never taken. */
    NEVER,
    /** Of a minimum or maximum: its first argument. */
    FIRST,
    /** Of a minimum or maximum: its second argument. */
    SECOND,
    /** Of a call: nothing. */
    OFF,
    /** Of an ordered access: the same without its ordering. */
    PLAIN
  }

  /** A name that stays when lines move: class, method, number of the site there, how. */
  public String name() {
    return site.place() + "#" + site.ordinal() + " " + how;
  }

  @Override
  public String toString() {
    return name() + " (line " + site.line() + ", " + site.what() + ")";
  }
}
