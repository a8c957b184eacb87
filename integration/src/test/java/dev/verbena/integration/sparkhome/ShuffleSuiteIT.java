// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.sparkhome;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.integration.Checkout;
import dev.verbena.integration.RunDirectory;
import dev.verbena.integration.spark.VerbenaShuffleSuite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs Spark's suite for shuffle managers; ScalaTest writes a report of its tests. */
@Tag("spark")
class ShuffleSuiteIT {
  private static final Duration WITHIN = Duration.ofMinutes(25);

  /** Options of the runner and of all the executors that it starts. */
  private static final String SHORT_LIVED = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1";

  @Test
  @Timeout(value = 27, unit = TimeUnit.MINUTES)
  void sparksShuffleSuitePasses() throws IOException {
    Checkout checkout = Checkout.locate();
    Path reports = checkout.root().resolve("integration/target/scalatest-reports");
    Files.createDirectories(reports);
    Path tests = Checkout.codeOf(VerbenaShuffleSuite.class);
    try (RunDirectory run = RunDirectory.create(checkout.runs(), "shuffle-suite");
        Stream<Path> libraries =
            Files.list(checkout.root().resolve("integration/target/suite-jars"))) {
      SparkHome home = SparkHome.in(run, checkout);
      List<Path> classPath =
          Stream.concat(
                  Stream.of(
                      checkout.pluginJar(),
                      tests,
                      Checkout.codeOf(Checkout.class),
                      Checkout.codeOf(Assertions.class)),
                  libraries)
              .toList();
      List<String> arguments =
          List.of(
              "-Xmx1g",
              "-Dspark.testing=1",
              "-Dspark.test.home=" + home.root(),
              "-Djava.io.tmpdir=" + run.memory(),
              "org.scalatest.tools.Runner",
              "-R",
              tests.toString(),
              "-s",
              VerbenaShuffleSuite.class.getName(),
              "-oW",
              "-u",
              reports.toString());
      try (SparkProcess runner =
          SparkProcess.start(
              "shuffle-suite",
              home,
              classPath,
              arguments,
              Map.of("JDK_JAVA_OPTIONS", SHORT_LIVED),
              run.disk().resolve("shuffle-suite.log"),
              false)) {
        boolean ended = runner.endsWithin(WITHIN);
        assertThat(ended).as(runner.readLog()).isTrue();
        assertThat(runner.awaitExit(Duration.ZERO)).as(runner.readLog()).isZero();
      }
    }
  }
}
