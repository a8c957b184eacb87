// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
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

  /** Bytes of a record's payload where nothing else is asked for. */
  static final int PAYLOAD = 250;

  private static final int MAPS = 16;
  private static final int REDUCERS = 2;
  private static final String REDUCING = "reduce-";
  private static final String STARTED = "map-";

  private PairedMaps() {}

  static JavaPairRDD<Integer, Tuple2<String, byte[]>> of(JavaSparkContext spark, Signals signals) {
    return of(spark, signals, PAYLOAD);
  }

  private static JavaPairRDD<Integer, Tuple2<String, byte[]>> of(
      JavaSparkContext spark, Signals signals, int payload) {
    return spark
        .parallelize(IntStream.range(0, MAPS).boxed().toList(), MAPS)
        .mapPartitionsToPair(part -> records(signals, part, payload));
  }

  /**
   * Shuffles them to two reducers, which run at one time, so that each executor reads from the
   * other. Count and sum of each reducer's records.
   *
   * @param payload bytes of a record's payload
   */
  static List<String> shuffle(JavaSparkContext spark, Signals signals, int payload) {
    return of(spark, signals, payload)
        .partitionBy(new HashPartitioner(REDUCERS))
        .mapPartitions(part -> List.of(reduce(part, signals)).iterator())
        .collect();
  }

  /** What {@link #shuffle} finds if no byte is lost or changed. */
  static List<String> expected(int payload) {
    List<Sum> sums = Stream.generate(Sum::new).limit(REDUCERS).toList();
    for (int map = 0; map < MAPS; map++) {
      Random random = new Random(map);
      for (int i = 0; i < RECORDS / MAPS; i++) {
        int key = key(map, i);
        sums.get(key % REDUCERS).add(key, payload(random, payload));
      }
    }
    return sums.stream().map(Sum::toString).toList();
  }

  private static String reduce(
      Iterator<Tuple2<Integer, Tuple2<String, byte[]>>> records, Signals signals) {
    signals.give(REDUCING + TaskContext.getPartitionId(), "");
    signals.awaitAll(REDUCING, REDUCERS);
    Sum sum = new Sum();
    while (records.hasNext()) {
      Tuple2<Integer, Tuple2<String, byte[]>> record = records.next();
      sum.add(record._1(), record._2()._2());
    }
    return sum.toString();
  }

  private static int key(int map, int record) {
    return map * RECORDS + record;
  }

  private static byte[] payload(Random random, int length) {
    byte[] payload = new byte[length];
    random.nextBytes(payload);
    return payload;
  }

  /** Depends on each byte, and not on the order of records. */
  private static final class Sum {
    private int count;
    private long sum;

    void add(int key, byte[] payload) {
      sum += key * 31L + Arrays.hashCode(payload);
      count++;
    }

    @Override
    public String toString() {
      return count + " " + sum;
    }
  }

  private static Iterator<Tuple2<Integer, Tuple2<String, byte[]>>> records(
      Signals signals, Iterator<Integer> part, int length) {
    String executor = SparkEnv.get().executorId();
    signals.give(PROCESS + executor, Long.toString(ProcessHandle.current().pid()));
    int map = part.next();
    signals.give(STARTED + map, executor);
    signals.await(STARTED + (map ^ 1));
    Random random = new Random(map);
    List<Tuple2<Integer, Tuple2<String, byte[]>>> records = new ArrayList<>();
    for (int i = 0; i < RECORDS / MAPS; i++) {
      records.add(new Tuple2<>(key(map, i), new Tuple2<>(executor, payload(random, length))));
    }
    return records.iterator();
  }
}
