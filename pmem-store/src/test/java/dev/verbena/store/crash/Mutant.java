// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.crash;

/**
 * A site switched off.
 *
 * @param site the call
 * @param how what is done instead of it
 */
record Mutant(Site site, How how) {
  enum How {
    /** Nothing. */
    OFF,
    /** The same store or load without its ordering. */
    PLAIN
  }

  @Override
  public String toString() {
    return how + " " + site;
  }
}
