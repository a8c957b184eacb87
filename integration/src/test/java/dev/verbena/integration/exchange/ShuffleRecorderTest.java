// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ShuffleRecorderTest {
  private static final long DELIVERED_MILLIS = 60_000;

  private static SparkSession spark;
  private static ShuffleRecorder recorder;

  @BeforeAll
  static void start() {
    spark =
        (SparkSession)
            org.apache.spark.sql.SparkSession.builder()
                .master("local[1]")
                .config("spark.ui.enabled", "false")
                .config("spark.log.level", "WARN")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.sql.shuffle.partitions", "3")
                .config("spark.sql.autoBroadcastJoinThreshold", "-1")
                .config(ShuffleRecorder.ADAPTIVE, "false")
                .config(ShuffleRecorder.CHECKSUMS, "true")
                .getOrCreate();
    recorder = new ShuffleRecorder(spark.sparkContext());
    spark
        .sql(
            "select cast(id % 10 as int) as k, cast(id as int) as i, id / 7.0D as d,"
                + " cast(id as decimal(7,2)) as p from range(0, 100, 1, 4)")
        .createOrReplaceTempView("t");
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  @Test
  void everyMapTaskIsThereWithItsRecordsAndChecksum() throws TimeoutException {
    List<Shuffle> shuffles = shuffles("select k, sum(i) from t group by k");
    assertThat(shuffles).hasSize(1);
    assertThat(shuffles.get(0).name()).isEqualTo("Exchange hashpartitioning(k, 3)");
    assertThat(shuffles.get(0).exempt()).isEmpty();
    assertThat(shuffles.get(0).outputs())
        .hasSize(4)
        .allSatisfy(
            output -> {
              assertThat(output.records()).isEqualTo(10);
              assertThat(output.checksum()).isNotZero();
            });
  }

  @Test
  void aQueryEqualsItselfAndNotOneOnOtherRows() throws TimeoutException {
    String query = "select a.k, count(*) from t a join t b on a.i = b.i group by a.k";
    List<Shuffle> shuffles = shuffles(query);
    ExchangeComparison same = ExchangeComparison.of(shuffles, shuffles(query));
    assertThat(same.differences()).isEmpty();
    assertThat(same.mapOutputs()).isGreaterThanOrEqualTo(7);
    List<Shuffle> others = shuffles("select k, sum(i) from t group by k");
    spark.table("t").selectExpr("k", "if(i = 50, 51, i) as i").createOrReplaceTempView("u");
    List<Shuffle> changed = shuffles("select k, sum(i) from u group by k");
    assertThat(others.get(0).outputs().get(2)).isNotEqualTo(changed.get(0).outputs().get(2));
    assertThat(others.get(0).outputs().get(1)).isEqualTo(changed.get(0).outputs().get(1));
  }

  @Test
  void sumsOfFractionsAreExemptAndExactOnesAreNot() throws TimeoutException {
    assertThat(reason("select k, sum(d) from t group by k")).isEqualTo(OrderSensitivity.FLOATING);
    assertThat(reason("select k, stddev(i) from t group by k"))
        .isEqualTo(OrderSensitivity.FLOATING);
    assertThat(reason("select k, avg(i), sum(p), avg(p), max(d) from t group by k")).isEmpty();
  }

  @Test
  void whatIsAboveALimitIsExemptAndWhatIsBelowIsNot() throws TimeoutException {
    List<Shuffle> shuffles =
        shuffles(
            "select k, count(*) from (select k, i from t distribute by i limit 20) group by k");
    assertThat(shuffles).hasSizeGreaterThanOrEqualTo(2);
    assertThat(shuffles)
        .filteredOn(shuffle -> shuffle.name().contains("hashpartitioning(i"))
        .singleElement()
        .satisfies(below -> assertThat(below.exempt()).isEmpty());
    assertThat(shuffles)
        .filteredOn(shuffle -> !shuffle.name().contains("hashpartitioning(i"))
        .isNotEmpty()
        .allSatisfy(above -> assertThat(above.exempt()).contains(OrderSensitivity.LIMIT));
  }

  @Test
  void aSumThatAFilterAboveComparesWithCounts() throws TimeoutException {
    List<Shuffle> shuffles =
        shuffles("select k, count(*) from t where d > (select avg(d) from t) group by k");
    assertThat(shuffles)
        .hasSize(2)
        .allSatisfy(shuffle -> assertThat(shuffle.exempt()).isEqualTo(OrderSensitivity.FLOATING));
  }

  @Test
  void rangesAndRowNumbersAreExempt() throws TimeoutException {
    assertThat(reason("select * from t order by i")).isEqualTo(OrderSensitivity.SAMPLE);
    String numbered = "(select i, row_number() over (partition by k order by p) as n from t)";
    assertThat(shuffles("select n, count(i) from " + numbered + " group by n"))
        .last()
        .satisfies(inner -> assertThat(inner.exempt()).isEmpty());
    assertThat(reason("select n, count(i) from " + numbered + " group by n"))
        .isEqualTo(OrderSensitivity.ORDER);
  }

  @Test
  void anExchangeThatIsUsedTwiceIsThereOnce() throws TimeoutException {
    String query =
        "with s as (select k, sum(i) as n from t group by k)"
            + " select * from s a join s b on a.k = b.k and a.n <> b.n";
    assertThat(shuffles(query)).hasSize(1);
  }

  /** Of the topmost exchange. */
  private static String reason(String query) throws TimeoutException {
    return shuffles(query).get(0).exempt();
  }

  private static List<Shuffle> shuffles(String query) throws TimeoutException {
    recorder.begin();
    Dataset<Row> rows = spark.sql(query);
    rows.collectAsList();
    spark.sparkContext().listenerBus().waitUntilEmpty(DELIVERED_MILLIS);
    return recorder.shuffles(rows.queryExecution().executedPlan());
  }
}
