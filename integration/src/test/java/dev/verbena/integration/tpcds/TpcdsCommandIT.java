// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

@Tag("spark")
class TpcdsCommandIT {
  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({"mapped, shm, mapped", "read, shm, shm", "read, tcp, tcp"})
  void resultsAreThoseOfStockSparkAndTheShuffleGoesTheWayAskedFor(
      String path, String carrier, String counted) throws IOException {
    assertThat(run("--queries", "q67,q22", "--path", path, "--carrier", carrier)).isZero();
    JsonNode verbena = report().path("totals").path("verbena");
    assertThat(verbena.path("verdicts").path("EQUAL").asInt()).isEqualTo(2);
    assertThat(verbena.path("metrics").path("carriers").path("bytes").path(counted).asLong())
        .isPositive();
    assertThat(verbena.path("shareOnCarrier").asDouble()).isGreaterThanOrEqualTo(0.99);
  }

  @Test
  void aQueryThatFailsMakesTheCommandFail() throws IOException {
    int code =
        run(
            "--queries",
            "q22",
            "--subject",
            "vanilla",
            "--conf",
            "spark.sql.maxBroadcastTableSize=1");
    assertThat(code).isEqualTo(1);
    assertThat(report().path("queries").path(0).path("results").path(1).path("verdict").asText())
        .isEqualTo("failed");
    assertThat(report().path("ok").asBoolean()).isFalse();
  }

  @Test
  void everyMapTaskWritesWhatStockSparksDoes() throws IOException {
    assertThat(run("--queries", "q67,q22,q17", "--checksums")).isZero();
    int mapOutputs = 0;
    List<String> exempt = new ArrayList<>();
    for (JsonNode query : report().path("queries")) {
      JsonNode exchanges = query.path("results").path(1).path("checks").path("exchanges");
      mapOutputs += exchanges.path("mapOutputs").asInt();
      exchanges.path("exempt").forEach(one -> exempt.add(one.asText()));
    }
    assertThat(mapOutputs).isGreaterThan(5);
    // The standard deviations of q17.
    assertThat(exempt).isNotEmpty().allMatch(one -> one.contains("floating-point aggregate"));
  }

  @Test
  void resultsAreThoseOfStockSparkThoughExecutorsAreKilled() throws IOException {
    assertThat(run("--queries", "q20", "--kill-executors", "2", "--seed", "4")).isZero();
    JsonNode kills = report().path("kills");
    assertThat(kills.path("hit").asInt()).as("%s", kills).isEqualTo(2);
    assertThat(kills.path("seen").path("executorsLost").asInt()).isGreaterThanOrEqualTo(2);
    int hits = 0;
    for (JsonNode query : report().path("queries")) {
      for (JsonNode result : query.path("results")) {
        JsonNode kill = result.path("checks").path("kill");
        if (kill.isObject() && kill.path("miss").isNull()) {
          hits++;
          assertThat(result.path("verdict").asText()).isEqualTo("equal");
          assertThat(kill.path("seen").path("executorsLost").asInt()).isPositive();
        }
      }
    }
    assertThat(hits).isEqualTo(2);
  }

  private int run(String... more) {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("--scale", "0.01", "--compare", "--executor-memory", "1024"));
    // Reducers on both executors, so that each reads from the other whatever the sizes are.
    arguments.addAll(List.of("--conf", "spark.sql.adaptive.enabled=false"));
    arguments.addAll(List.of("--conf", "spark.sql.shuffle.partitions=8"));
    arguments.addAll(List.of("--conf", "spark.shuffle.reduceLocality.enabled=false"));
    // Executors that live for a few queries.
    String shortLived = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1";
    arguments.addAll(List.of("--conf", "spark.executor.extraJavaOptions=" + shortLived));
    arguments.addAll(List.of("--json", folder.resolve("tpcds.json").toString()));
    arguments.addAll(List.of(more));
    return new CommandLine(new TpcdsCommand()).execute(arguments.toArray(new String[0]));
  }

  private JsonNode report() throws IOException {
    return new ObjectMapper().readTree(folder.resolve("tpcds.json").toFile());
  }
}
