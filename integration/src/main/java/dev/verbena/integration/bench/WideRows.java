// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import static org.apache.spark.sql.functions.bit_xor;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.xxhash64;

import dev.verbena.integration.IntegrationException;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Observation;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A DataFrame of a long and 100 random bytes, repartitioned by the long and read by a sink that
 * drops it. The rows depend on nothing but the case.
 */
final class WideRows {
  private static final int LONGS = 12;
  private static final String KEY = "xxhash64(id) AS k";

  /** 12 hashes of 8 bytes and one of 4. */
  private static final String VALUE =
      IntStream.rangeClosed(1, LONGS)
          .mapToObj(salt -> "CAST(xxhash64(id, " + salt + ") AS BINARY)")
          .collect(Collectors.joining(", ", "concat(", ", CAST(hash(id) AS BINARY)) AS v"));

  private WideRows() {}

  /** Returns the digest, which costs time; null if it is not asked for. */
  static RowDigest shuffle(SparkSession spark, ShuffleCase what, boolean checked) {
    Dataset<Row> rows =
        spark
            .range(0, what.rows(), 1, what.maps())
            .selectExpr(KEY, VALUE)
            .repartition(what.reduces(), col("k"));
    if (!checked) {
      read(rows);
      return null;
    }
    Observation observation = new Observation();
    read(
        rows.observe(
            observation,
            count(lit(1)).as("rows"),
            bit_xor(xxhash64(col("k"), col("v"))).as("checksum")));
    try {
      Map<String, Object> seen = observation.getAsJava();
      return new RowDigest((Long) seen.get("rows"), (Long) seen.get("checksum"));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IntegrationException("interrupted while the rows were digested", e);
    }
  }

  private static void read(Dataset<Row> rows) {
    rows.write().format("noop").mode("overwrite").save();
  }
}
