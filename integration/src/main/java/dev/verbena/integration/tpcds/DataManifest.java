// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.IntegrationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.stream.Stream;

/**
 * What a complete data folder holds; the file that it is kept in is written last.
 *
 * @param generator the program that made the data
 * @param scale the scale factor
 * @param tables by name
 */
record DataManifest(String generator, String scale, SortedMap<String, TableFiles> tables) {
  static final String FILE = "_COMPLETE";

  /**
   * A table's Parquet files.
   *
   * @param rows in all of them
   * @param bytes of all of them
   */
  record TableFiles(long rows, long bytes) {}

  /** The tables whose files are not of the size that was written. */
  List<String> damaged(Path folder) {
    List<String> damaged = new ArrayList<>();
    tables.forEach(
        (table, files) -> {
          if (parquetBytes(folder.resolve(table)) != files.bytes()) {
            damaged.add(table);
          }
        });
    return damaged;
  }

  /** The size of a table's Parquet files; 0 if there are none. */
  static long parquetBytes(Path table) {
    if (!Files.isDirectory(table)) {
      return 0;
    }
    try (Stream<Path> files = Files.list(table)) {
      long bytes = 0;
      for (Path file : files.filter(f -> f.toString().endsWith(".parquet")).toList()) {
        bytes += Files.size(file);
      }
      return bytes;
    } catch (IOException e) {
      throw new IntegrationException("cannot list " + table, e);
    }
  }
}
