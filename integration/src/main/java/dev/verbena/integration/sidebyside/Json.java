// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.sidebyside;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.verbena.integration.IntegrationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Records to JSON and back. */
public final class Json {
  private static final ObjectMapper LINES = new ObjectMapper();
  private static final ObjectMapper FILES =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private Json() {}

  /** One line, without its end. */
  public static String line(Object value) {
    try {
      return LINES.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IntegrationException("cannot write " + value.getClass().getName(), e);
    }
  }

  /** Reads such a line. */
  public static <T> T parse(String line, Class<T> type) {
    try {
      return LINES.readValue(line, type);
    } catch (JsonProcessingException e) {
      throw new IntegrationException("not a " + type.getSimpleName() + ": " + e.getMessage(), e);
    }
  }

  /** Writes a file, and its folder if there is none. */
  public static void write(Path file, Object value) {
    try {
      if (file.toAbsolutePath().getParent() != null) {
        Files.createDirectories(file.toAbsolutePath().getParent());
      }
      Files.writeString(file, FILES.writeValueAsString(value) + "\n");
    } catch (IOException e) {
      throw new IntegrationException("cannot write " + file, e);
    }
  }

  /** Reads a file. */
  public static <T> T read(Path file, Class<T> type) {
    try {
      return LINES.readValue(file.toFile(), type);
    } catch (IOException e) {
      throw new IntegrationException("cannot read " + file + ": " + e.getMessage(), e);
    }
  }
}
