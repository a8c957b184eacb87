// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import dev.verbena.cli.Json;
import java.io.PrintWriter;
import java.util.List;

/**
 * What the doctor says.
 *
 * @param ok whether nothing that was asked for is impossible
 */
record DoctorReport(boolean ok, List<Finding> findings) {
  static DoctorReport of(List<Finding> findings) {
    return new DoctorReport(
        findings.stream().noneMatch(finding -> finding.verdict() == Verdict.PROBLEM),
        List.copyOf(findings));
  }

  /** For people. */
  void print(PrintWriter out) {
    String area = "";
    for (Finding finding : findings) {
      if (!finding.area().equals(area)) {
        area = finding.area();
        out.println(area);
      }
      out.printf("  %-8s %s: %s%n", finding.verdict(), finding.subject(), finding.value());
      if (finding.verdict() != Verdict.OK) {
        out.printf("           remedy: %s%n", finding.remedy());
      }
    }
    out.println(
        ok ? "everything that was asked for can work" : "something can't work, see PROBLEM");
    out.flush();
  }

  /**
   * For programs: {@code {"ok", "findings": [{"area", "subject", "verdict", "value", "remedy"}]}}.
   */
  String json() {
    return Json.of(this);
  }
}
