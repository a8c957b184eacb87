// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.verbena.integration.IntegrationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What a benchmark writes with {@code --json}.
 *
 * @param bench its name
 * @param environment machine, medium, and how busy the rest of the machine was
 * @param results one entry a subject and metric
 * @param ratios by "case.metric.vs_rival"; above 1 always means that ours is better
 */
public record BenchReport(
    String bench,
    Map<String, String> environment,
    List<Result> results,
    Map<String, Ratio> ratios) {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  /** Key in the environment of how busy others kept the machine during a case: "4 %" say. */
  static String othersKey(String benchCase) {
    return "others in " + benchCase;
  }

  /** Reads a file that {@link #write} made. */
  static BenchReport read(Path file) {
    try {
      return JSON.readValue(file.toFile(), BenchReport.class);
    } catch (IOException e) {
      throw new IntegrationException("no benchmark report: " + file + ": " + e.getMessage(), e);
    }
  }

  void write(Path file) {
    try {
      Path parent = file.toAbsolutePath().getParent();
      Files.createDirectories(parent);
      Files.writeString(file, JSON.writeValueAsString(this) + "\n");
    } catch (JsonProcessingException e) {
      throw new IntegrationException("cannot turn the report of " + bench + " into JSON", e);
    } catch (IOException e) {
      throw new IntegrationException("cannot write " + file, e);
    }
  }
}
