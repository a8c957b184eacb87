// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.integration.sparkhome.SparkApplication;
import dev.verbena.integration.sparkhome.SparkProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How the plug-in starts with settings that it can't, or can't quite, follow. */
@Tag("spark")
class StartIT {
  private static final String SERVICE = "spark.shuffle.service.enabled";
  private static final String PUSH = "spark.shuffle.push.enabled";
  private static final String REQUIRED = Cluster.KEYS + "required";
  private static final String IO_PLUGIN = "spark.shuffle.sort.io.plugin.class";
  private static final String ROWS = "rows [1, 2, 3]";

  private static Cluster cluster;
  private static Path outcomes;
  private static String log;

  @BeforeAll
  static void startSparkInAllWays() {
    cluster = new Cluster("starts");
    outcomes = cluster.results("starts");
    Map<String, String> starts = new LinkedHashMap<>();
    starts.put("service", SERVICE + "=true");
    starts.put("service-required", SERVICE + "=true," + REQUIRED + "=true");
    starts.put("push-required", PUSH + "=true," + REQUIRED + "=true");
    starts.put("misspelt", Cluster.KEYS + "carier=tcp");
    starts.put("own-io", IO_PLUGIN + "=org.example.OtherIO");
    starts.put("provider", Cluster.KEYS + "provider=mlx5");
    starts.put("bad-value", Cluster.KEYS + "path=teleport");
    starts.put("required", REQUIRED + "=true");
    List<String> arguments = new ArrayList<>(List.of(outcomes.toString()));
    starts.forEach(
        (name, settings) -> {
          arguments.add(name);
          arguments.add(settings);
        });
    SparkApplication application =
        cluster
            .verbena("starts", StartApplication.class)
            .master("local[2]")
            .arguments(arguments.toArray(String[]::new));
    try (SparkProcess driver = application.start(cluster.home(), cluster.run().disk())) {
      assertThat(driver.awaitExit(Duration.ofMinutes(5))).as(driver.tail()).isZero();
      log = driver.readLog();
    }
  }

  @AfterAll
  static void removeHome() {
    cluster.close();
  }

  @Test
  void anExternalShuffleServiceGetsSparksShuffleAndOneWarning() throws IOException {
    assertThat(outcome("service")).isEqualTo(ROWS);
    assertThat(log.lines().filter(line -> line.contains("WARN") && line.contains(SERVICE)))
        .hasSize(1);
  }

  @Test
  void pushBasedShuffleWithoutItsServiceIsOffInSparkAndSoNoObstacle() throws IOException {
    assertThat(outcome("push-required")).isEqualTo(ROWS);
  }

  @Test
  void whatCantBeCombinedIsAnErrorWhereTheShuffleIsRequired() throws IOException {
    assertThat(outcome("service-required")).startsWith("error ").contains(SERVICE, REQUIRED);
    assertThat(outcome("required")).isEqualTo(ROWS);
  }

  @Test
  void aMisspeltKeyIsAnErrorThatNamesTheNearest() throws IOException {
    assertThat(outcome("misspelt"))
        .startsWith("error ")
        .contains(Cluster.KEYS + "carier", Cluster.KEYS + "carrier");
  }

  @Test
  void aBadValueIsAnErrorThatNamesKeyAndValue() throws IOException {
    assertThat(outcome("bad-value"))
        .startsWith("error ")
        .contains(Cluster.KEYS + "path", "teleport", "mapped");
  }

  @Test
  void anUnknownProviderEndsTheStart() throws IOException {
    assertThat(outcome("provider"))
        .startsWith("error ")
        .contains(Cluster.KEYS + "provider", "mlx5", "one of rdmacore, rdmacore:DEVICE, soft");
  }

  @Test
  void theDriverSaysThatVerbenaIsOn() {
    assertThat(log.lines().filter(line -> line.contains("INFO")))
        .anyMatch(line -> line.contains("Verbena carries this application's shuffle"));
  }

  @Test
  void aUsersOwnIoPlugInIsAnErrorThatNamesBothKeys() throws IOException {
    assertThat(outcome("own-io"))
        .startsWith("error ")
        .contains(IO_PLUGIN, "org.example.OtherIO", Cluster.MANAGER_KEY);
  }

  private static String outcome(String start) throws IOException {
    return Files.readString(outcomes.resolve(start));
  }
}
