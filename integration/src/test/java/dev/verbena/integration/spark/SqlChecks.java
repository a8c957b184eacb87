// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import dev.verbena.integration.spark.Checks.Check;
import dev.verbena.integration.spark.Checks.Found;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Queries, each of which has adaptive execution read a shuffle in another way. */
final class SqlChecks {
  static final String COALESCED = "sqlCoalesced";
  static final String SKEW_JOIN = "sqlSkewJoin";
  static final String LOCAL_READER = "sqlLocalReader";

  /** Partitions of each shuffle before adaptive execution joins some. */
  static final int PARTITIONS = 20;

  static final int MAPS = 4;

  private static final int ROWS = 40_000;
  private static final String ADAPTIVE = "spark.sql.adaptive.";
  private static final String BROADCAST = "spark.sql.autoBroadcastJoinThreshold";

  private SqlChecks() {}

  static Map<String, Check> all() {
    Map<String, Check> all = new LinkedHashMap<>();
    all.put(COALESCED, SqlChecks::coalesced);
    all.put(SKEW_JOIN, SqlChecks::skewJoin);
    all.put(LOCAL_READER, SqlChecks::localReader);
    all.put("sqlSort", SqlChecks::sort);
    all.put("sqlRepartition", SqlChecks::repartition);
    return all;
  }

  private static Found coalesced(SparkSession spark) {
    return with(
        spark,
        Map.of(ADAPTIVE + "coalescePartitions.parallelismFirst", "false"),
        () -> range(spark, "id % 500 as k", "id as v").groupBy("k").sum("v").orderBy("k"));
  }

  private static Found skewJoin(SparkSession spark) {
    return with(
        spark,
        Map.of(
            BROADCAST,
            "-1",
            ADAPTIVE + "skewJoin.skewedPartitionFactor",
            "2",
            ADAPTIVE + "skewJoin.skewedPartitionThresholdInBytes",
            "10k",
            ADAPTIVE + "advisoryPartitionSizeInBytes",
            "20k"),
        () ->
            range(spark, "if(id % 5 < 4, 0, id % 500) as k", "id as v", "uuid() as ballast")
                .join(range(spark, "id % 4000 as k", "id as w"), "k")
                .selectExpr("count(1)", "sum(v * 31 + w)", "sum(length(ballast))"));
  }

  private static Found localReader(SparkSession spark) {
    return with(
        spark,
        Map.of(BROADCAST, "-1", ADAPTIVE + "autoBroadcastJoinThreshold", "10m"),
        () ->
            range(spark, "id % 500 as k", "id as v", "uuid() as ballast")
                .join(range(spark, "id as k", "id * 3 as w").where("w % 7 = 0"), "k")
                .selectExpr("count(1)", "sum(v + w)", "sum(length(ballast))"));
  }

  private static Found sort(SparkSession spark) {
    return with(spark, Map.of(), () -> range(spark, "hash(id) as h", "id as v").orderBy("h", "v"));
  }

  private static Found repartition(SparkSession spark) {
    Found found =
        with(
            spark,
            Map.of(),
            () -> range(spark, "id as v", "array(id, id + 1) as pair").repartition(7));
    return new Found(found.rows().stream().sorted().toList(), found.plan());
  }

  private static Dataset<Row> range(SparkSession spark, String... columns) {
    return spark.range(0, ROWS, 1, MAPS).selectExpr(columns);
  }

  @FunctionalInterface
  private interface Query {
    Dataset<Row> make();
  }

  private static Found with(SparkSession spark, Map<String, String> settings, Query query) {
    Map<String, String> all = new TreeMap<>(settings);
    all.put("spark.sql.shuffle.partitions", Integer.toString(PARTITIONS));
    all.forEach((key, value) -> spark.conf().set(key, value));
    try {
      Dataset<Row> rows = query.make();
      List<String> lines =
          rows.collectAsList().stream().map(Row::toString).collect(Collectors.toList());
      String plan =
          ((org.apache.spark.sql.classic.Dataset<Row>) rows)
              .queryExecution()
              .executedPlan()
              .toString();
      return new Found(Collections.unmodifiableList(lines), plan);
    } finally {
      all.keySet().forEach(key -> spark.conf().unset(key));
    }
  }
}
