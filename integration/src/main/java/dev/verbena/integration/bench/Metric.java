// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

/**
 * What a case measures.
 *
 * @param benchCase names the case, "pingpong_64B_shm" say
 * @param name names the figure, "rtt" say
 * @param unit of its values
 * @param better which direction is better
 */
public record Metric(String benchCase, String name, String unit, Better better) {
  /** Which direction is better. */
  public enum Better {
    /** Times, bytes allocated. */
    LOWER,
    /** Rates. */
    HIGHER
  }

  /** The name in reports: case and figure. */
  public String fullName() {
    return benchCase + "." + name;
  }
}
