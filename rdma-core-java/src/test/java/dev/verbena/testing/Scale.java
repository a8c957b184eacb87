// SPDX-License-Identifier: Apache-2.0
package dev.verbena.testing;

/** How often tests repeat what one repetition proves on a machine that is as fast as any. */
public final class Scale {
  /**
   * The system property {@code verbena.test.scale}: repetitions in percent of the usual, for
   * machines that are slow by emulation.
   */
  private static final int PERCENT = Integer.getInteger("verbena.test.scale", 100);

  /**
   * The system property {@code verbena.test.gibibytes}: the largest region, for machines that must
   * pin what they register and have little memory; at least 2, which an int can't tell.
   */
  private static final int GIBIBYTES = Integer.getInteger("verbena.test.gibibytes", 5);

  private Scale() {}

  /** That many repetitions here, at least {@code least}. */
  public static int of(int usual, int least) {
    return (int) Math.max(least, (long) usual * PERCENT / 100);
  }

  /** That many gibibytes here, or fewer. */
  public static int gibibytes(int usual) {
    return Math.min(usual, GIBIBYTES);
  }
}
