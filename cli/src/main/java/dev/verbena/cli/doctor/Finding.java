// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import java.util.Objects;

/**
 * One thing that was looked at.
 *
 * @param area what it belongs to: versions, devices, rdma, memory, limits, carriers, pools
 * @param subject what was looked at
 * @param verdict how it is meant
 * @param value what was found
 * @param remedy what helps; empty exactly if the verdict is OK
 */
record Finding(String area, String subject, Verdict verdict, String value, String remedy) {
  Finding {
    Objects.requireNonNull(area, "area");
    Objects.requireNonNull(subject, "subject");
    Objects.requireNonNull(value, "value");
    if (remedy.isEmpty() != (verdict == Verdict.OK)) {
      throw new IllegalArgumentException(
          "%s: verdict %s with remedy '%s'".formatted(subject, verdict, remedy));
    }
  }

  static Finding ok(String area, String subject, String value) {
    return new Finding(area, subject, Verdict.OK, value, "");
  }

  static Finding warning(String area, String subject, String value, String remedy) {
    return new Finding(area, subject, Verdict.WARNING, value, remedy);
  }

  static Finding problem(String area, String subject, String value, String remedy) {
    return new Finding(area, subject, Verdict.PROBLEM, value, remedy);
  }
}
