// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An application under comparison: stock Spark, or Spark with the plug-in as a user sets it up.
 *
 * @param name in tables and logs
 * @param carrier the carrier that shuffle bytes must go over; null for stock Spark
 * @param jars put on the class paths of driver and executors, as {@code extraClassPath} does
 * @param conf beyond what all subjects have
 */
record Subject(String name, String carrier, List<Path> jars, Map<String, String> conf) {
  static final String VANILLA = "vanilla";

  /** How blocks of a same-host peer are read. */
  enum ReadPath {
    /** From a mapping of the peer's store. */
    mapped,
    /** By verb READs. */
    read
  }

  /** What carries verbs between two processes. */
  enum Carrier {
    shm,
    tcp
  }

  static Subject vanilla(String name) {
    return new Subject(name, null, List.of(), Map.of());
  }

  /**
   * Spark with the plug-in.
   *
   * @param path null leaves the plug-in's default, which is mapped
   * @param carrier null leaves the plug-in's default, which is shm between processes of one host
   */
  static Subject verbena(String name, Path pluginJar, ReadPath path, Carrier carrier) {
    Map<String, String> conf = new LinkedHashMap<>();
    conf.put("spark.shuffle.manager", "dev.verbena.spark.VerbenaShuffleManager");
    if (path != null) {
      conf.put("spark.shuffle.verbena.path", path.name());
    }
    if (carrier != null) {
      conf.put("spark.shuffle.verbena.carrier", carrier.name());
    }
    return new Subject(name, expectedCarrier(path, carrier), List.of(pluginJar), conf);
  }

  boolean isVanilla() {
    return carrier == null;
  }

  /** A peer that is reached by tcp has no memory to map. */
  private static String expectedCarrier(ReadPath path, Carrier carrier) {
    if (carrier == Carrier.tcp) {
      return "tcp";
    }
    return path == ReadPath.read ? "shm" : "mapped";
  }
}
