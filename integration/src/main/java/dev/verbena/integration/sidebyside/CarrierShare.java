// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.sidebyside;

import dev.verbena.integration.sidebyside.JobMetrics.CarrierTotals;
import java.util.Map;

/**
 * How much of the shuffle traffic went over the carrier that was asked for. What a reader takes
 * from its own store stands aside. What Spark counts as read and the plug-in does not counts
 * against it.
 *
 * @param asked bytes over that carrier
 * @param others bytes over any other, or unaccounted for
 */
public record CarrierShare(long asked, long others) {
  /** What at least must go over the carrier under test. */
  static final double REQUIRED = 0.99;

  /** Of what a job group read. */
  public static CarrierShare of(JobMetrics metrics, String carrier) {
    long asked = 0;
    long others = 0;
    long counted = 0;
    for (Map.Entry<String, Long> bytes : metrics.carriers().bytes().entrySet()) {
      counted += bytes.getValue();
      if (bytes.getKey().equals(carrier)) {
        asked += bytes.getValue();
      } else if (!bytes.getKey().equals(CarrierTotals.OWN)) {
        others += bytes.getValue();
      }
    }
    long read = metrics.shuffle().bytesRead();
    return new CarrierShare(asked, others + Math.max(0, read - counted));
  }

  /** From 0 to 1; 1 if there was no traffic. */
  public double value() {
    return asked + others == 0 ? 1 : (double) asked / (asked + others);
  }

  /** Whether it is what is required of the carrier under test. */
  public boolean isEnough() {
    return value() >= REQUIRED;
  }
}
