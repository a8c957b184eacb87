// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

/** How a finding is meant, in rising order. */
enum Verdict {
  /** As it should be. */
  OK,
  /** Works, but less well than it could. */
  WARNING,
  /** Something that was asked for can't work. */
  PROBLEM
}
