// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.IntegrationException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The TPC-DS queries as Spark's own tests hold them, by name, in the order of their numbers. */
final class QueryCatalog {
  private static final Pattern FILE = Pattern.compile("tpcds/(q(\\d+)([a-z]?))\\.sql");
  private static final String ALL = "all";
  private static final List<String> LISTS = List.of("heavy", "demo");

  private final Map<String, String> sqlByName;

  private QueryCatalog(Map<String, String> sqlByName) {
    this.sqlByName = sqlByName;
  }

  /** Reads the queries from Spark's tests jar. */
  static QueryCatalog read(Path jar) {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      List<Matcher> files = new ArrayList<>();
      for (ZipEntry entry : zip.stream().toList()) {
        Matcher matcher = FILE.matcher(entry.getName());
        if (matcher.matches()) {
          files.add(matcher);
        }
      }
      files.sort(
          Comparator.comparingInt((Matcher file) -> Integer.parseInt(file.group(2)))
              .thenComparing(file -> file.group(3)));
      Map<String, String> sqlByName = new LinkedHashMap<>();
      for (Matcher file : files) {
        try (InputStream in = zip.getInputStream(zip.getEntry(file.group()))) {
          sqlByName.put(file.group(1), new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
      }
      return new QueryCatalog(sqlByName);
    } catch (IOException e) {
      throw new IntegrationException("cannot read the queries in " + jar, e);
    }
  }

  List<String> names() {
    return List.copyOf(sqlByName.keySet());
  }

  String sql(String name) {
    return sqlByName.get(name);
  }

  /**
   * The queries that a user asks for.
   *
   * @param selection {@code all}, the name of a list ({@code heavy}, {@code demo}), or names with
   *     commas between them
   */
  List<String> select(String selection) {
    if (selection.equals(ALL)) {
      return names();
    }
    List<String> chosen =
        LISTS.contains(selection) ? list(selection) : List.of(selection.split("\\s*,\\s*"));
    for (String name : chosen) {
      if (!sqlByName.containsKey(name)) {
        throw new IntegrationException(
            "no query '"
                + name
                + "': name any of "
                + names()
                + ", or "
                + ALL
                + ", or one of "
                + LISTS);
      }
    }
    return chosen;
  }

  private static List<String> list(String name) {
    String resource = "queries-" + name + ".txt";
    try (InputStream in = QueryCatalog.class.getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(line -> line.replaceAll("#.*", "").strip())
          .filter(line -> !line.isEmpty())
          .toList();
    } catch (IOException e) {
      throw new IntegrationException("cannot read " + resource, e);
    }
  }
}
