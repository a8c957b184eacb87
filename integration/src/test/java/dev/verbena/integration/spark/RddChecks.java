// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import dev.verbena.integration.Await;
import dev.verbena.integration.spark.Checks.Check;
import dev.verbena.integration.spark.Checks.Found;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Seq;

/** Jobs on RDDs. */
final class RddChecks {
  static final String STAGE_RETRY = "rddStageRetry";
  static final String SPECULATION = "rddSpeculation";

  private static final int ROWS = 20_000;
  private static final int KEYS = 500;
  private static final int MAPS = 4;
  private static final int REDUCES = 6;

  /** More than Spark's bypass threshold of 200. */
  private static final int MANY = 300;

  private static final int LARGE_BLOCKS = 3;
  private static final int LARGE_BLOCK = 5 << 20;

  private static final Duration COPY_WITHIN = Duration.ofMinutes(2);

  private RddChecks() {}

  static Map<String, Check> all() {
    Map<String, Check> all = new LinkedHashMap<>();
    all.put("rddGroupBy", RddChecks::groupBy);
    all.put("rddAggregate", RddChecks::aggregate);
    all.put("rddSort", RddChecks::sort);
    all.put("rddJoin", RddChecks::join);
    all.put("rddRepartition", RddChecks::repartition);
    all.put("rddManyPartitions", RddChecks::manyPartitions);
    all.put("rddLargeBlocks", RddChecks::largeBlocks);
    all.put(STAGE_RETRY, RddChecks::stageRetry);
    all.put(SPECULATION, RddChecks::speculation);
    return all;
  }

  private static JavaPairRDD<Integer, String> rows(SparkSession spark, String word) {
    return new JavaSparkContext(spark.sparkContext())
        .parallelize(IntStream.range(0, ROWS).boxed().toList(), MAPS)
        .mapToPair(i -> new Tuple2<>(i * 7919 % KEYS, word + "-" + i));
  }

  private static Found groupBy(SparkSession spark) {
    return sorted(
        rows(spark, "group")
            .groupByKey(REDUCES)
            .map(
                group -> {
                  List<String> values = new ArrayList<>();
                  group._2().forEach(values::add);
                  Collections.sort(values);
                  return group._1() + " " + values.size() + " " + values.hashCode();
                }));
  }

  private static Found aggregate(SparkSession spark) {
    return sorted(
        rows(spark, "sum")
            .mapValues(value -> (long) value.hashCode())
            .reduceByKey(Long::sum, REDUCES)
            .map(sum -> sum._1() + " " + sum._2()));
  }

  private static Found sort(SparkSession spark) {
    List<String> keys =
        rows(spark, "sort").mapToPair(Tuple2::swap).sortByKey(true, REDUCES).keys().collect();
    // In the order that the job gave, which is a total one.
    return Found.of(keys);
  }

  private static Found join(SparkSession spark) {
    JavaPairRDD<Integer, String> few = rows(spark, "right").filter(row -> row._1() % 50 == 0);
    return sorted(
        rows(spark, "left")
            .join(few, REDUCES)
            .mapToPair(row -> new Tuple2<>(row._1(), (long) row._2().hashCode()))
            .reduceByKey(Long::sum, REDUCES)
            .map(sum -> sum._1() + " " + sum._2()));
  }

  private static Found repartition(SparkSession spark) {
    return sorted(rows(spark, "round").repartition(REDUCES).map(row -> row._1() + " " + row._2()));
  }

  private static Found manyPartitions(SparkSession spark) {
    return sorted(
        rows(spark, "many")
            .partitionBy(new HashPartitioner(MANY))
            .map(row -> row._1() + " " + row._2()));
  }

  private static Found largeBlocks(SparkSession spark) {
    return sorted(
        new JavaSparkContext(spark.sparkContext())
            .parallelize(IntStream.range(0, LARGE_BLOCKS).boxed().toList(), LARGE_BLOCKS)
            .mapToPair(i -> new Tuple2<>(i, randomBytes(i)))
            .partitionBy(new HashPartitioner(2))
            .map(row -> row._1() + " " + Arrays.hashCode(row._2())));
  }

  private static byte[] randomBytes(int seed) {
    byte[] bytes = new byte[LARGE_BLOCK];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /**
   * A reducer that claims a lost block at its first attempt. The outputs of a repartition depend on
   * the order of their input, so Spark runs the whole map stage again, under new attempt ids.
   */
  private static Found stageRetry(SparkSession spark) {
    JavaRDD<Tuple2<Integer, String>> shuffled =
        rows(spark, "again")
            .partitionBy(new HashPartitioner(REDUCES))
            .map(row -> row)
            .repartition(REDUCES);
    int shuffle = shuffleOf(shuffled);
    return sorted(
        shuffled
            .mapPartitions(
                part -> {
                  TaskContext task = TaskContext.get();
                  if (task.stageAttemptNumber() == 0 && task.partitionId() == 1) {
                    throw claimLost(shuffle);
                  }
                  return part;
                })
            // Spark can repeat all of a map stage, but not a result stage that has results.
            .mapToPair(row -> row)
            .partitionBy(new HashPartitioner(2))
            .map(row -> row._1() + " " + row._2()));
  }

  /**
   * A map task whose first attempt does not come to its end before the copy that Spark starts of it
   * does; without speculation, nothing waits.
   */
  private static Found speculation(SparkSession spark) {
    return sorted(
        rows(spark, "slow")
            .mapPartitionsToPair(
                part -> {
                  TaskContext task = TaskContext.get();
                  boolean copied = SparkEnv.get().conf().getBoolean("spark.speculation", false);
                  if (copied && task.partitionId() == 0 && task.attemptNumber() == 0) {
                    Await.until(COPY_WITHIN, "a copy has overtaken", task::isInterrupted);
                  }
                  return part;
                })
            .groupByKey(REDUCES)
            .map(group -> group._1() + " " + size(group._2())));
  }

  private static long size(Iterable<?> values) {
    long size = 0;
    for (Object unused : values) {
      size++;
    }
    return size;
  }

  /** The last shuffle that an RDD needs. */
  private static int shuffleOf(JavaRDD<?> rdd) {
    org.apache.spark.rdd.RDD<?> current = rdd.rdd();
    while (!(current.dependencies().head() instanceof ShuffleDependency<?, ?, ?>)) {
      current = current.dependencies().head().rdd();
    }
    return ((ShuffleDependency<?, ?, ?>) current.dependencies().head()).shuffleId();
  }

  private static FetchFailedException claimLost(int shuffle) {
    Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>> first =
        SparkEnv.get().mapOutputTracker().getMapSizesByExecutorId(shuffle, 0).next();
    Tuple3<BlockId, Object, Object> block = first._2().head();
    ShuffleBlockId id = (ShuffleBlockId) block._1();
    return new FetchFailedException(
        first._1(), shuffle, id.mapId(), (int) block._3(), 0, "claimed by a check", null);
  }

  private static Found sorted(JavaRDD<String> lines) {
    List<String> collected = new ArrayList<>(lines.collect());
    Collections.sort(collected);
    return Found.of(collected);
  }
}
