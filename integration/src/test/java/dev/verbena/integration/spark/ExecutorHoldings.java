// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import com.codahale.metrics.Gauge;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.metrics.source.Source;
import scala.jdk.javaapi.CollectionConverters;

/**
 * What an executor holds.
 *
 * @param executor its id
 * @param outputs map outputs in its store
 * @param used bytes in use in its pools
 * @param descriptors what the open descriptors of the process are, a name each
 * @param memory files in memory that it has mapped, a path a mapping
 */
record ExecutorHoldings(
    String executor, long outputs, long used, List<String> descriptors, List<String> memory)
    implements Serializable {
  private static final String SOURCE = "verbena.shuffle";
  private static final String MEMORY = "/dev/shm/";
  private static final int TASKS_AN_EXECUTOR = 4;

  /** Asks the executors, by id, for now. */
  static Map<String, ExecutorHoldings> of(JavaSparkContext context, int executors) {
    List<Integer> tasks = IntStream.range(0, executors * TASKS_AN_EXECUTOR).boxed().toList();
    return context.parallelize(tasks, tasks.size()).map(task -> here()).collect().stream()
        .collect(
            Collectors.toMap(
                ExecutorHoldings::executor, held -> held, (one, other) -> other, TreeMap::new));
  }

  /** Whether it is no more than what was held before. */
  boolean isWithin(ExecutorHoldings before) {
    return outputs <= before.outputs
        && used <= before.used
        && descriptors.size() <= before.descriptors.size()
        && memory.size() <= before.memory.size();
  }

  /** What is held now and was not before. */
  String since(ExecutorHoldings before) {
    return "executor %s: %d outputs after %d, %d bytes after %d, %d descriptors after %d (new: %s), %d mappings after %d (new: %s)"
        .formatted(
            executor,
            outputs,
            before.outputs,
            used,
            before.used,
            descriptors.size(),
            before.descriptors.size(),
            without(descriptors, before.descriptors),
            memory.size(),
            before.memory.size(),
            without(memory, before.memory));
  }

  private static List<String> without(List<String> now, List<String> before) {
    List<String> left = new ArrayList<>(now);
    before.forEach(left::remove);
    return left;
  }

  private static ExecutorHoldings here() throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"));
        Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
      return new ExecutorHoldings(
          SparkEnv.get().executorId(),
          gauge("store.mapOutputs"),
          gauge("store.used"),
          new ArrayList<>(descriptors.map(ExecutorHoldings::target).toList()),
          new ArrayList<>(
              maps.filter(line -> line.contains(MEMORY))
                  .map(line -> line.substring(line.indexOf(MEMORY)))
                  .toList()));
    }
  }

  /** What a descriptor is; sockets and the like without their number. */
  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().replaceFirst(":\\[\\d+]$", "");
    } catch (IOException closed) {
      return "closed meanwhile";
    }
  }

  private static long gauge(String name) {
    for (Source source :
        CollectionConverters.asJava(SparkEnv.get().metricsSystem().getSourcesByName(SOURCE))) {
      Gauge<?> gauge = source.metricRegistry().getGauges().get(name);
      if (gauge != null) {
        return ((Number) gauge.getValue()).longValue();
      }
    }
    throw new IllegalStateException("no gauge " + SOURCE + "." + name);
  }
}
