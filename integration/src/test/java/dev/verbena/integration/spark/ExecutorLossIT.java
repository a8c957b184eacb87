// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.integration.spark.ExecutorLoss.Point;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** An executor is SIGKILLed after its map outputs are registered, while a reducer is at work. */
@Tag("spark")
class ExecutorLossIT {
  private static Cluster cluster;

  @BeforeAll
  static void makeHome() {
    cluster = new Cluster("executor-loss");
  }

  @AfterAll
  static void removeHome() {
    cluster.close();
  }

  @TestFactory
  Stream<DynamicTest> aReaderByVerbsRetriesItsStageOnce() {
    return lose(
        "read",
        true,
        traffic -> {
          assertThat(traffic.count(Traffic.FETCH_FAILURES)).as("%s", traffic).isEqualTo(1);
          assertThat(traffic.count(Traffic.STAGE_RETRIES)).as("%s", traffic).isEqualTo(1);
        });
  }

  @TestFactory
  Stream<DynamicTest> aReaderOfMappedMemoryRetriesItsStageAtMostOnce() {
    return lose(
        "mapped",
        false,
        traffic ->
            assertThat(traffic.count(Traffic.STAGE_RETRIES))
                .as("%s", traffic)
                .isLessThanOrEqualTo(1));
  }

  private static Stream<DynamicTest> lose(
      String path, boolean mustFail, Consumer<Traffic> expectation) {
    Path folder = cluster.results(path);
    cluster.complete(
        cluster
            .verbena("loss-" + path, ExecutorLossApplication.class)
            .conf(Cluster.KEYS + "path", path)
            // One block at a time, so that most are still with the executor when it dies.
            .conf("spark.reducer.maxReqsInFlight", "1")
            .conf("spark.reducer.maxBlocksInFlightPerAddress", "1")
            .arguments(folder.toString(), Boolean.toString(mustFail)));
    Stream<DynamicTest> points =
        Stream.of(Point.values())
            .map(
                point ->
                    DynamicTest.dynamicTest(
                        point.name(),
                        () -> {
                          CheckResult found = CheckResult.read(folder, point.name());
                          List<String> rows = found.rows();
                          assertThat(rows.get(1)).isEqualTo(rows.get(0));
                          System.out.println(path + " " + point + ": " + rows.get(2));
                          expectation.accept(found.traffic());
                        }));
    return Stream.concat(
        points, Stream.of(DynamicTest.dynamicTest("memory", () -> assertNothingLeft(folder))));
  }

  /** Of all that the executors had mapped in memory, the dead ones' included. */
  private static void assertNothingLeft(Path folder) throws IOException {
    List<String> mapped = Files.readAllLines(folder.resolve("memory"));
    assertThat(mapped).anyMatch(file -> file.contains("verbena-nic-"));
    assertThat(mapped).anyMatch(file -> file.contains("-pool"));
    assertThat(mapped).noneMatch(file -> Files.exists(Path.of(file)));
  }
}
