// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import java.util.List;

/** Looks at one area. What is wrong becomes a finding, never an exception. */
@FunctionalInterface
interface Probe {
  List<Finding> look();
}
