// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import java.util.List;

/** Versions of what everything runs on. */
final class VersionsProbe implements Probe {
  private static final String AREA = "versions";

  @Override
  public List<Finding> look() {
    return List.of(
        Finding.ok(
            AREA,
            "java",
            "%s, %s".formatted(Runtime.version(), System.getProperty("java.vm.name"))),
        Finding.ok(
            AREA,
            "kernel",
            "%s %s on %s, %d processors"
                .formatted(
                    System.getProperty("os.name"),
                    System.getProperty("os.version"),
                    System.getProperty("os.arch"),
                    Runtime.getRuntime().availableProcessors())));
  }
}
