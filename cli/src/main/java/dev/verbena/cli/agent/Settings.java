// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.agent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A mapping of a YAML file, asked key by key; what was not asked for is told as unknown. */
final class Settings {
  private final Path file;
  private final String prefix;
  private final JsonNode node;
  private final Set<String> asked = new TreeSet<>();

  private Settings(Path file, String prefix, JsonNode node) {
    this.file = file;
    this.prefix = prefix;
    this.node = node;
    if (!node.isObject() && !node.isMissingNode() && !node.isNull()) {
      String where = prefix.isEmpty() ? "" : prefix.substring(0, prefix.length() - 1) + ": ";
      throw new SettingsException(file + ": " + where + "expected keys with values", null);
    }
  }

  /**
   * Reads a file.
   *
   * @throws SettingsException if it can't be read, or is no YAML
   */
  static Settings read(Path file) {
    YAMLFactory strict =
        YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
    try {
      return new Settings(file, "", new YAMLMapper(strict).readTree(Files.readString(file)));
    } catch (JsonProcessingException e) {
      String line = e.getLocation() == null ? "" : " at line " + e.getLocation().getLineNr();
      throw new SettingsException(
          file + " is no YAML" + line + ": " + oneLine(e.getOriginalMessage()), e);
    } catch (IOException e) {
      throw new SettingsException(file + " can't be read: " + e, e);
    }
  }

  private static String oneLine(String message) {
    return message.lines().map(String::strip).collect(Collectors.joining(" "));
  }

  /** A value that must be there. */
  <T> T required(String key, Function<String, T> parse) {
    JsonNode value = node(key);
    if (value.isMissingNode()) {
      throw new SettingsException(file + ": " + prefix + key + " is missing", null);
    }
    return parsed(key, value, parse);
  }

  /** A value, or what stands for it. */
  <T> T value(String key, T otherwise, Function<String, T> parse) {
    JsonNode value = node(key);
    return value.isMissingNode() ? otherwise : parsed(key, value, parse);
  }

  private <T> T parsed(String key, JsonNode value, Function<String, T> parse) {
    if (!value.isValueNode()) {
      throw wrong(key, "expected one value", null);
    }
    try {
      return parse.apply(value.asText());
    } catch (IllegalArgumentException e) {
      throw wrong(key, e.getMessage(), e);
    }
  }

  /** A mapping below this one; without keys if it is missing. */
  Settings child(String key) {
    return new Settings(file, prefix + key + ".", node(key));
  }

  /** The mappings of a list that must have one at least. */
  List<Settings> children(String key) {
    JsonNode list = node(key);
    if (!list.isArray() || list.isEmpty()) {
      throw wrong(key, "expected a list of one or more", null);
    }
    List<Settings> children = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      children.add(new Settings(file, prefix + key + "[" + i + "].", list.get(i)));
    }
    return children;
  }

  /** What is wrong with a key. */
  SettingsException wrong(String key, String why, Throwable cause) {
    return new SettingsException(file + ": " + prefix + key + ": " + why, cause);
  }

  /** What is wrong with this mapping. */
  SettingsException wrong(RuntimeException cause) {
    String where = prefix.isEmpty() ? "" : prefix.substring(0, prefix.length() - 1) + ": ";
    return new SettingsException(file + ": " + where + cause.getMessage(), cause);
  }

  /** Says that all keys were asked for. */
  void end() {
    node.fieldNames()
        .forEachRemaining(
            key -> {
              if (!asked.contains(key)) {
                throw wrong(key, "no such key, there are " + String.join(", ", asked), null);
              }
            });
  }

  private JsonNode node(String key) {
    asked.add(key);
    JsonNode value = node.path(key);
    return value.isNull() ? MissingNode.getInstance() : value;
  }
}
