// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.integration.sparkhome.SparkApplication;
import dev.verbena.integration.sparkhome.StandaloneCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A standalone master and two workers, on defaults, and the jar as a user gives it. */
@Tag("spark")
class StandaloneIT {
  private static final List<String> FEW =
      List.of("rddGroupBy", "rddRepartition", RddChecks.SPECULATION, SqlChecks.COALESCED);
  private static final double SHARE = 0.99;
  private static final int RUNS = 3;

  private static Cluster cluster;
  private static Path expected;

  @BeforeAll
  static void runOnStockSpark() {
    cluster = new Cluster("standalone");
    expected = cluster.results("stock");
    cluster.complete(
        cluster
            .application("stock", CheckApplication.class)
            .master("local[2]")
            .arguments(arguments(expected, 0)));
  }

  @AfterAll
  static void removeHome() {
    cluster.close();
  }

  @Test
  void theExampleConfigurationAndEitherWayToGiveTheJarWork() throws IOException {
    try (StandaloneCluster machines =
        StandaloneCluster.start(cluster.home(), cluster.run(), Cluster.EXECUTORS, 1, "1g")) {
      Path conf = cluster.home().root().resolve("conf").resolve("spark-defaults.conf");
      Files.copy(cluster.checkout().root().resolve("conf-examples/spark-defaults.conf"), conf);
      SparkApplication byJars =
          cluster.application("jars", CheckApplication.class).jar(cluster.checkout().pluginJar());
      check("jars", byJars, machines, "mapped");
      Files.delete(conf);

      SparkApplication byClassPath =
          cluster
              .application("class-path", CheckApplication.class)
              .classPath(cluster.checkout().pluginJar())
              .conf(Cluster.MANAGER_KEY, Cluster.MANAGER);
      check("class-path", byClassPath, machines, "mapped");
    }
  }

  @Test
  void executorsAtOtherAddressesReadByVerbsAndSpeculate() {
    try (StandaloneCluster machines =
        StandaloneCluster.start(
            cluster.home(), cluster.run(), List.of("127.0.0.1", "127.0.0.2"), 1, "1g")) {
      SparkApplication speculating =
          cluster
              .verbena("two-hosts", CheckApplication.class)
              .conf("spark.speculation", "true")
              .conf("spark.speculation.interval", "100ms")
              .conf("spark.speculation.multiplier", "1.1")
              .conf("spark.speculation.quantile", "0.5");
      check("two-hosts", speculating, machines, "shm");
      assertThat(
              CheckResult.read(cluster.results("two-hosts"), RddChecks.SPECULATION)
                  .traffic()
                  .count(Traffic.SPECULATIVE))
          .isPositive();
    }
  }

  /** Run again, a few times, where one executor was so slow that the other did all the work. */
  private static void check(
      String name, SparkApplication application, StandaloneCluster machines, String carrier) {
    Traffic all = run(name, application, machines);
    for (int again = 1; again < RUNS && all.foreignBytes() == 0; again++) {
      all = run(name, application, machines);
    }
    assertThat(all.foreignBytes()).as("%s", all).isPositive();
    assertThat(all.share(carrier)).as("%s", all).isGreaterThanOrEqualTo(SHARE);
  }

  private static Traffic run(
      String name, SparkApplication application, StandaloneCluster machines) {
    Path folder = cluster.results(name);
    cluster.complete(
        application.master(machines.url()).arguments(arguments(folder, Cluster.EXECUTORS)));
    Traffic all = null;
    for (String check : FEW) {
      CheckResult found = CheckResult.read(folder, check);
      assertThat(found.rows())
          .as("%s in %s", check, name)
          .isNotEmpty()
          .isEqualTo(CheckResult.read(expected, check).rows());
      all = all == null ? found.traffic() : all.plus(found.traffic());
    }
    assertThat(all.fallbacks()).as("%s", all).isZero();
    return all;
  }

  private static String[] arguments(Path folder, int executors) {
    List<String> arguments = new ArrayList<>(List.of(folder.toString(), "" + executors));
    arguments.addAll(FEW);
    return arguments.toArray(String[]::new);
  }
}
