// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.sparkhome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.integration.Await;
import dev.verbena.integration.Checkout;
import dev.verbena.integration.IntegrationException;
import dev.verbena.integration.RunDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("spark")
class SparkProcessIT {
  private static final Duration PATIENCE = Duration.ofMinutes(6);
  private static final String SUM = (SumApplication.ROWS - 1) * SumApplication.ROWS / 2 + " on ";

  private RunDirectory run;
  private SparkHome home;
  private Path result;

  @BeforeEach
  void makeHome() {
    Checkout checkout = Checkout.locate();
    run = RunDirectory.create(checkout.runs(), "spark-process");
    home = SparkHome.in(run, checkout);
    result = run.disk().resolve("result");
  }

  @AfterEach
  void removeHome() {
    run.close();
  }

  @Test
  void aJobRunsOnAClusterInsideTheDriver() throws IOException {
    SparkApplication application = sum().master(SparkApplication.localClusterUrl(2, 1, 1024));
    try (SparkProcess driver = application.start(home, run.disk())) {
      assertThat(driver.awaitExit(PATIENCE)).as(driver.tail()).isZero();
      assertThat(Files.readString(result)).startsWith(SUM);
      assertThat(home.work()).isNotEmptyDirectory();
    }
  }

  @Test
  void aJobRunsOnAStandaloneClusterAndCloseEndsAllOfIt() throws IOException {
    List<ProcessHandle> workers;
    try (StandaloneCluster cluster = StandaloneCluster.start(home, run, 2, 1, "1g")) {
      workers =
          cluster.workers().stream()
              .map(worker -> ProcessHandle.of(worker.pid()).orElseThrow())
              .toList();
      try (SparkProcess driver = sum().master(cluster.url()).start(home, run.disk())) {
        assertThat(driver.awaitExit(PATIENCE)).as(driver.tail()).isZero();
      }
      assertThat(Files.readString(result)).startsWith(SUM);
    }
    assertThat(workers).hasSize(2).noneMatch(ProcessHandle::isAlive);
  }

  @Test
  void closeEndsTheDriverAndItsExecutors() {
    SparkApplication application =
        sum()
            .master(SparkApplication.localClusterUrl(2, 1, 1024))
            // Never comes to its job: more executors are asked for than there are.
            .conf("spark.scheduler.minRegisteredResourcesRatio", "1.0")
            .conf("spark.cores.max", "4")
            .conf("spark.scheduler.maxRegisteredResourcesWaitingTime", "10min");
    SparkProcess driver = application.start(home, run.disk());
    try {
      Await.until(PATIENCE, "two executors run", () -> driver.executors().size() == 2);
    } finally {
      List<ProcessHandle> executors = driver.executors();
      driver.close();
      assertThat(driver.isAlive()).isFalse();
      assertThat(executors).noneMatch(ProcessHandle::isAlive);
    }
  }

  @Test
  void anApplicationThatFailsEndsWithAnErrorAndSaysWhyInItsLog() {
    SparkApplication application = sum().master("local-cluster[nonsense]");
    try (SparkProcess driver = application.start(home, run.disk())) {
      assertThat(driver.awaitExit(PATIENCE)).isNotZero();
      assertThat(driver.tail()).contains("local-cluster[nonsense]");
      assertThatThrownBy(() -> driver.awaitLog("never said", Duration.ofSeconds(5)))
          .isInstanceOf(IntegrationException.class)
          .hasMessageContaining("ended early");
    }
  }

  private SparkApplication sum() {
    return new SparkApplication("sum", SumApplication.class)
        .conf("spark.executor.memory", "512m")
        .conf("spark.local.dir", run.memory().resolve("local").toString())
        .arguments(result.toString());
  }
}
