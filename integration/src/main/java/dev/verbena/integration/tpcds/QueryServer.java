// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.exchange.Shuffle;
import dev.verbena.integration.exchange.ShuffleRecorder;
import dev.verbena.integration.kill.ExchangeWatch;
import dev.verbena.integration.kill.ExecutorKiller;
import dev.verbena.integration.kill.KillReport;
import dev.verbena.integration.sidebyside.ApplicationServer;
import dev.verbena.integration.sidebyside.JobMetrics;
import dev.verbena.integration.tpcds.QueryProtocol.Reply;
import dev.verbena.integration.tpcds.QueryProtocol.Request;
import dev.verbena.integration.tpcds.QueryResult.Column;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.Dataset$;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.StructField;

/**
 * A Spark application that runs the queries it is given, one at a time. Arguments: the launcher's
 * port, the data folder, the number of executors to wait for.
 */
public final class QueryServer {
  private final SparkSession spark;
  private final ApplicationServer server;
  private final int executors;
  private final ShuffleRecorder recorder;
  private final ExchangeWatch exchanges = new ExchangeWatch();
  private final ExecutorKiller killer;

  private QueryServer(SparkSession spark, ApplicationServer server, int executors) {
    this.spark = spark;
    this.server = server;
    this.executors = executors;
    this.recorder = new ShuffleRecorder(spark.sparkContext());
    spark.sparkContext().addSparkListener(exchanges);
    this.killer = new ExecutorKiller(spark.sparkContext());
  }

  /** Serves until the launcher closes the connection. */
  public static void main(String[] args) throws IOException {
    int port = Integer.parseInt(args[0]);
    Path data = Path.of(args[1]);
    int executors = Integer.parseInt(args[2]);
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      ApplicationServer server = ApplicationServer.of(spark.sparkContext(), executors);
      QueryServer queries = new QueryServer(spark, server, executors);
      queries.registerTables(data);
      server.serve(port, Request.class, queries::answer);
    }
  }

  private void registerTables(Path data) throws IOException {
    try (DirectoryStream<Path> tables = Files.newDirectoryStream(data, Files::isDirectory)) {
      for (Path table : tables) {
        spark
            .read()
            .parquet(table.toString())
            .createOrReplaceTempView(table.getFileName().toString());
      }
    }
  }

  private Reply answer(Request request) {
    // One that was killed has been replaced by then.
    server.awaitExecutors(executors);
    recorder.begin();
    exchanges.begin();
    killer.begin(request.kill());
    spark.sparkContext().setJobGroup(request.name(), request.name(), false);
    long started = System.nanoTime();
    QueryResult result = null;
    String error = null;
    Dataset<Row> rows = null;
    try {
      rows = query(request.sql());
      result = collect(rows);
    } catch (Exception e) {
      // A query that fails is a result too: it is told, and the next one is run.
      error = stackTrace(e);
    }
    double seconds = (System.nanoTime() - started) / 1e9;
    JobMetrics metrics = server.takeMetrics(request.name());
    KillReport kill = killer.end();
    List<Shuffle> shuffles =
        request.shuffles() && error == null
            ? recorder.shuffles(rows.queryExecution().executedPlan())
            : List.of();
    return new Reply(
        error,
        result,
        seconds,
        metrics,
        exchanges.points(),
        shuffles,
        request.kill() == null ? null : kill);
  }

  private Dataset<Row> query(String sql) throws ParseException {
    LogicalPlan parsed = spark.sessionState().sqlParser().parsePlan(sql);
    Dataset$ datasets = Dataset$.MODULE$;
    int columns = datasets.ofRows(spark, parsed).schema().size();
    return datasets.ofRows(spark, OutermostLimit.ordered(parsed, columns));
  }

  private static QueryResult collect(Dataset<Row> rows) {
    List<Column> schema = new ArrayList<>();
    for (StructField field : rows.schema().fields()) {
      schema.add(new Column(field.name(), field.dataType().catalogString()));
    }
    List<List<String>> cells = new ArrayList<>();
    for (Row row : rows.collectAsList()) {
      cells.add(cells(row));
    }
    return new QueryResult(schema, cells);
  }

  private static List<String> cells(Row row) {
    List<String> cells = new ArrayList<>(row.size());
    for (int i = 0; i < row.size(); i++) {
      cells.add(cell(row.get(i)));
    }
    return Collections.unmodifiableList(cells);
  }

  private static String cell(Object value) {
    if (value instanceof BigDecimal decimal) {
      return decimal.toPlainString();
    }
    return value == null ? null : value.toString();
  }

  private static String stackTrace(Exception e) {
    StringWriter text = new StringWriter();
    e.printStackTrace(new PrintWriter(text, true));
    return text.toString();
  }
}
