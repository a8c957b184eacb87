// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many shuffles, and applications one after another, leave nothing behind. */
@Tag("soak")
class SoakIT {
  private static final int SHUFFLES = 1000;
  private static final int APPLICATIONS = 5;
  private static final double SHARE = 0.99;

  private static Cluster cluster;

  @BeforeAll
  static void makeHome() {
    cluster = new Cluster("soak");
  }

  @AfterAll
  static void removeHome() {
    cluster.close();
  }

  @Test
  @Timeout(1200)
  void aThousandShufflesOfOneApplication() throws IOException {
    run("thousand", SHUFFLES);
  }

  @Test
  @Timeout(1200)
  void fiveApplicationsOneAfterAnother() throws IOException {
    for (int i = 0; i < APPLICATIONS; i++) {
      run("application-" + i, 10);
    }
  }

  private static void run(String name, int shuffles) throws IOException {
    Path folder = cluster.results(name);
    cluster.complete(
        cluster
            .verbena(name, SoakApplication.class)
            .conf(Cluster.KEYS + "path", "read")
            .arguments(folder.toString(), Integer.toString(shuffles)));
    CheckResult found = CheckResult.read(folder, "soak");
    System.out.println(
        "soak: "
            + name
            + ": rounds of "
            + shuffles
            + " shuffles, held after the last: "
            + found.rows());
    assertThat(found.traffic().fallbacks()).isZero();
    assertThat(found.traffic().share("shm")).isGreaterThanOrEqualTo(SHARE);
    assertThat(Files.readAllLines(folder.resolve("memory")))
        .isNotEmpty()
        .noneMatch(file -> Files.exists(Path.of(file)));
  }
}
