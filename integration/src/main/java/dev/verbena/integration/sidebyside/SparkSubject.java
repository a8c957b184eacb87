// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.sidebyside;

import java.nio.file.Path;
import java.util.ArrayList;
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
public record SparkSubject(String name, String carrier, List<Path> jars, Map<String, String> conf) {
  /** The usual name of stock Spark. */
  public static final String VANILLA = "vanilla";

  /** How blocks of a same-host peer are read. */
  public enum ReadPath {
    /** From a mapping of the peer's store. */
    mapped,
    /** By verb READs. */
    read
  }

  /** What carries verbs between two processes. */
  public enum Carrier {
    shm,
    tcp
  }

  /** Stock Spark. */
  public static SparkSubject vanilla(String name) {
    return new SparkSubject(name, null, List.of(), Map.of());
  }

  /**
   * Spark with the plug-in.
   *
   * @param path null leaves the plug-in's default, which is mapped
   * @param carrier null leaves the plug-in's default, which is shm between processes of one host
   */
  public static SparkSubject verbena(String name, Path pluginJar, ReadPath path, Carrier carrier) {
    Map<String, String> conf = new LinkedHashMap<>();
    conf.put("spark.shuffle.manager", "dev.verbena.spark.VerbenaShuffleManager");
    if (path != null) {
      conf.put("spark.shuffle.verbena.path", path.name());
    }
    if (carrier != null) {
      // Shared memory is taken where it can be, and is expected then.
      conf.put("spark.shuffle.verbena.carrier", carrier == Carrier.tcp ? "tcp" : "auto");
    }
    return new SparkSubject(name, expectedCarrier(path, carrier), List.of(pluginJar), conf);
  }

  /** The same with a key more. */
  public SparkSubject with(String key, String value) {
    Map<String, String> more = new LinkedHashMap<>(conf);
    more.put(key, value);
    return new SparkSubject(name, carrier, jars, more);
  }

  /** Whether this is stock Spark, in whatever configuration. */
  public boolean isVanilla() {
    return carrier == null;
  }

  /** Why its traffic is not what it should be, in words; stock Spark owes nothing. */
  public List<String> faults(JobMetrics metrics) {
    List<String> faults = new ArrayList<>();
    if (isVanilla()) {
      return faults;
    }
    if (metrics.carriers().fallbackCount() > 0) {
      faults.add("fallbacks " + metrics.carriers().fallbacks());
    }
    CarrierShare share = CarrierShare.of(metrics, carrier);
    if (!share.isEnough()) {
      faults.add(
          "%.2f %% of shuffle bytes over %s: %s of %d that Spark read"
              .formatted(
                  share.value() * 100,
                  carrier,
                  metrics.carriers().bytes(),
                  metrics.shuffle().bytesRead()));
    }
    return faults;
  }

  /** A peer that is reached by tcp has no memory to map. */
  private static String expectedCarrier(ReadPath path, Carrier carrier) {
    if (carrier == Carrier.tcp) {
      return "tcp";
    }
    return path == ReadPath.read ? "shm" : "mapped";
  }
}
