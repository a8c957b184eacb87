// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * Records, each with the executor that made it. Their tasks run in pairs, so that each of two
 * executors with a core each makes half of them.
 */
final class PairedMaps {
  /** How many records there are. */
  static final int RECORDS = 3200;

  /** What each executor signals, with its id behind it and its process id as text. */
  static final String PROCESS = "executor-";

  private static final int MAPS = 16;
  private static final int PAYLOAD = 250;
  private static final String STARTED = "map-";

  private PairedMaps() {}

  static JavaPairRDD<Integer, Tuple2<String, byte[]>> of(JavaSparkContext spark, Signals signals) {
    return spark
        .parallelize(IntStream.range(0, MAPS).boxed().toList(), MAPS)
        .mapPartitionsToPair(part -> records(signals, part));
  }

  private static Iterator<Tuple2<Integer, Tuple2<String, byte[]>>> records(
      Signals signals, Iterator<Integer> part) {
    String executor = SparkEnv.get().executorId();
    signals.give(PROCESS + executor, Long.toString(ProcessHandle.current().pid()));
    int map = part.next();
    signals.give(STARTED + map, executor);
    signals.await(STARTED + (map ^ 1));
    Random random = new Random(map);
    List<Tuple2<Integer, Tuple2<String, byte[]>>> records = new ArrayList<>();
    for (int i = 0; i < RECORDS / MAPS; i++) {
      byte[] payload = new byte[PAYLOAD];
      random.nextBytes(payload);
      records.add(new Tuple2<>(map * RECORDS + i, new Tuple2<>(executor, payload)));
    }
    return records.iterator();
  }
}
