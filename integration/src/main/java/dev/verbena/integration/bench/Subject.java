// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

/** Something that is measured in rounds, in turns with its rival. */
public interface Subject {
  /** Its name in reports: letters, digits, underscores. */
  String name();

  /** Runs one round. */
  Sample round();
}
