// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * A Spark application whose first executor loses its way to other stores, and whose second one then
 * stops serving its own. Argument: the folder for its results.
 */
public final class FallbackApplication {
  static final String UNDISTURBED = "undisturbed";
  static final String NO_CLIENT = "noClient";
  static final String NO_SERVER = "noServer";

  private static final String BREAKING = "breaking-";
  private static final String FIRST = "0";
  private static final String SECOND = "1";

  private final JavaSparkContext spark;
  private final Path folder;
  private final TrafficMeter meter;

  private FallbackApplication(SparkSession spark, Path folder) {
    this.spark = JavaSparkContext.fromSparkContext(spark.sparkContext());
    this.folder = folder;
    this.meter = TrafficMeter.on(spark.sparkContext());
  }

  /** Shuffles with all in order, then after each break. */
  public static void main(String[] args) throws Exception {
    try (SparkSession session = SparkSession.builder().getOrCreate()) {
      CheckApplication.awaitExecutors(session, Cluster.EXECUTORS);
      FallbackApplication application = new FallbackApplication(session, Path.of(args[0]));
      application.shuffle(UNDISTURBED);
      application.closeLink(FIRST, "client");
      application.shuffle(NO_CLIENT);
      application.closeLink(SECOND, "server");
      application.shuffle(NO_SERVER);
    }
  }

  private Signals signals(String name) throws Exception {
    return new Signals(Files.createDirectories(folder.resolve(name + "-signals")));
  }

  /** A shuffle in which each executor reads from the other. */
  private void shuffle(String name) throws Exception {
    Signals signals = signals(name);
    List<String> sums = PairedMaps.shuffle(spark, signals, PairedMaps.PAYLOAD);
    new CheckResult(sums, "", meter.take()).write(folder, name);
  }

  private void closeLink(String executor, String link) throws Exception {
    Signals signals = signals(link);
    spark
        .parallelize(List.of(1, 2), Cluster.EXECUTORS)
        .foreach(
            unused -> {
              String here = SparkEnv.get().executorId();
              signals.give(BREAKING + here, "");
              signals.awaitAll(BREAKING, Cluster.EXECUTORS);
              if (here.equals(executor)) {
                closeLinkHere(link);
              }
            });
    meter.take();
  }

  /** The plug-in has no switch for this: it is found behind the manager by name. */
  private static void closeLinkHere(String link) throws ReflectiveOperationException {
    Object manager = SparkEnv.get().shuffleManager();
    Method node = manager.getClass().getDeclaredMethod("node");
    node.setAccessible(true);
    Optional<?> links = (Optional<?>) field(node.invoke(manager), "links");
    Object closed = field(links.orElseThrow(), link);
    Method close = closed.getClass().getMethod("close");
    close.invoke(closed);
  }

  private static Object field(Object owner, String name) throws ReflectiveOperationException {
    Field field = owner.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return field.get(owner);
  }
}
