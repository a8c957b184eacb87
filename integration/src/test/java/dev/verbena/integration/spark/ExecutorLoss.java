// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import dev.verbena.integration.sparkhome.ProcessMaps;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.HashPartitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import scala.Tuple2;

/**
 * A shuffle whose map outputs lie on two executors, and a reducer that stops at a point and has the
 * other executor killed.
 */
final class ExecutorLoss {
  private static final String CACHED = "cached-";
  private static final String ASKED = "asked";
  private static final String KILLED = "killed";

  /** When the executor is killed. */
  enum Point {
    /** The reducer has learnt where the outputs are, and has read nothing. */
    BEFORE_READING,
    /** It has read one record of the other executor. */
    FIRST_RECORD,
    /** It has read half of the other executor's records. */
    MIDWAY
  }

  private final Signals signals;
  private final JavaPairRDD<Integer, Tuple2<String, byte[]>> shuffled;

  ExecutorLoss(JavaSparkContext spark, Signals signals) {
    this.signals = signals;
    this.shuffled = PairedMaps.of(spark, signals).partitionBy(new HashPartitioner(1));
  }

  /** Makes the outputs, has both executors learn where they are, and sums without a loss. */
  String sumUndisturbed() {
    String sum = sum(Integer.MAX_VALUE);
    int shuffle = ((ShuffleDependency<?, ?, ?>) shuffled.rdd().dependencies().head()).shuffleId();
    Signals told = signals;
    JavaSparkContext.fromSparkContext(shuffled.context())
        .parallelize(List.of(1, 2), Cluster.EXECUTORS)
        .foreach(
            unused -> {
              SparkEnv.get().mapOutputTracker().getMapSizesByExecutorId(shuffle, 0);
              told.give(CACHED + SparkEnv.get().executorId(), "");
              told.awaitAll(CACHED, Cluster.EXECUTORS);
            });
    return sum;
  }

  /** Sums while the other executor is killed at a point. */
  String sumWithLoss(Point point) {
    return switch (point) {
      case BEFORE_READING -> sum(0);
      case FIRST_RECORD -> sum(1);
      case MIDWAY -> sum(PairedMaps.RECORDS / 4);
    };
  }

  /** Sums; the reducer stops when it has read so many records of another executor. */
  private String sum(int stopAt) {
    Signals told = signals;
    RDD<Tuple2<Integer, Tuple2<String, byte[]>>> gated =
        new GatedRdd<>(shuffled.rdd(), told, stopAt == 0);
    return gated
        .toJavaRDD()
        .mapPartitions(part -> List.of(sum(part, told, stopAt)).iterator())
        .first();
  }

  private static String sum(
      Iterator<Tuple2<Integer, Tuple2<String, byte[]>>> records, Signals signals, int stopAt) {
    String here = SparkEnv.get().executorId();
    long sum = 0;
    int count = 0;
    int foreign = 0;
    while (records.hasNext()) {
      Tuple2<Integer, Tuple2<String, byte[]>> record = records.next();
      sum += record._1() * 31L + java.util.Arrays.hashCode(record._2()._2());
      count++;
      if (!record._2()._1().equals(here) && ++foreign == stopAt) {
        askToKill(signals);
      }
    }
    return count + " " + sum;
  }

  /** Has the other executor killed, at the first call of all, and returns once it is dead. */
  static void askToKill(Signals signals) {
    signals.give(ASKED, SparkEnv.get().executorId());
    signals.await(KILLED);
  }

  /**
   * On the driver: kills the executor that the reducer is not on.
   *
   * @return its id
   */
  String killWhenAsked(Iterable<ProcessMaps> observers) {
    String reader = signals.await(ASKED);
    var processes = signals.awaitAll(PairedMaps.PROCESS, Cluster.EXECUTORS);
    for (ProcessMaps observer : observers) {
      processes.values().forEach(pid -> observer.note(Long.parseLong(pid)));
    }
    String victim =
        processes.keySet().stream().filter(id -> !id.equals(reader)).findFirst().orElseThrow();
    ProcessHandle.of(Long.parseLong(processes.get(victim)))
        .ifPresent(
            process -> {
              process.destroyForcibly();
              process.onExit().join();
            });
    signals.give(KILLED, victim);
    return victim;
  }
}
