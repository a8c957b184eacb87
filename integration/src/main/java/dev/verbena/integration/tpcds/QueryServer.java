// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.Await;
import dev.verbena.integration.IntegrationException;
import dev.verbena.integration.tpcds.QueryProtocol.Hello;
import dev.verbena.integration.tpcds.QueryProtocol.Reply;
import dev.verbena.integration.tpcds.QueryProtocol.Request;
import dev.verbena.integration.tpcds.QueryResult.Column;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.Dataset$;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.StructField;

/**
 * A Spark application that runs the queries it is given, one at a time. Arguments: the launcher's
 * port, the data folder, the number of executors to wait for.
 */
public final class QueryServer {
  private static final Duration EXECUTORS_WITHIN = Duration.ofMinutes(3);
  private static final long LISTENERS_WITHIN_MILLIS = Duration.ofMinutes(1).toMillis();

  private final SparkSession spark;
  private final QueryMeter meter = new QueryMeter();

  private QueryServer(SparkSession spark) {
    this.spark = spark;
    spark.sparkContext().addSparkListener(meter);
  }

  /** Serves until the launcher closes the connection. */
  public static void main(String[] args) throws IOException {
    int port = Integer.parseInt(args[0]);
    Path data = Path.of(args[1]);
    int executors = Integer.parseInt(args[2]);
    try (SparkSession spark = SparkSession.builder().getOrCreate();
        Socket launcher = new Socket(InetAddress.getLoopbackAddress(), port)) {
      QueryServer server = new QueryServer(spark);
      server.awaitExecutors(executors);
      server.registerTables(data);
      server.serve(launcher);
    }
  }

  private void awaitExecutors(int executors) {
    // The driver's own block manager is one of them.
    Await.until(
        EXECUTORS_WITHIN,
        executors + " executors have registered",
        () -> spark.sparkContext().getExecutorMemoryStatus().size() > executors);
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

  private void serve(Socket launcher) throws IOException {
    BufferedReader requests =
        new BufferedReader(
            new InputStreamReader(launcher.getInputStream(), StandardCharsets.UTF_8));
    Writer replies =
        new BufferedWriter(
            new OutputStreamWriter(launcher.getOutputStream(), StandardCharsets.UTF_8));
    say(
        replies,
        new Hello(
            System.getenv(QueryProtocol.TOKEN_VARIABLE),
            spark.sparkContext().applicationId(),
            spark.version()));
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      say(replies, answer(Json.parse(line, Request.class)));
      // While the other application has its turn: lets Spark's cleaner drop this query's shuffles.
      System.gc();
    }
  }

  private static void say(Writer replies, Object message) throws IOException {
    replies.write(Json.line(message));
    replies.write('\n');
    replies.flush();
  }

  private Reply answer(Request request) {
    spark.sparkContext().setJobGroup(request.name(), request.name(), false);
    long started = System.nanoTime();
    QueryResult result = null;
    String error = null;
    try {
      result = run(request.sql());
    } catch (Exception e) {
      // A query that fails is a result too: it is told, and the next one is run.
      error = stackTrace(e);
    }
    double seconds = (System.nanoTime() - started) / 1e9;
    return new Reply(error, result, seconds, metrics(request.name()));
  }

  private QueryResult run(String sql) throws ParseException {
    LogicalPlan parsed = spark.sessionState().sqlParser().parsePlan(sql);
    Dataset$ datasets = Dataset$.MODULE$;
    int columns = datasets.ofRows(spark, parsed).schema().size();
    Dataset<Row> rows = datasets.ofRows(spark, OutermostLimit.ordered(parsed, columns));
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

  private QueryMetrics metrics(String query) {
    try {
      spark.sparkContext().listenerBus().waitUntilEmpty(LISTENERS_WITHIN_MILLIS);
    } catch (TimeoutException e) {
      throw new IntegrationException("Spark's listener bus did not run dry after " + query, e);
    }
    return meter.take(query);
  }

  private static String stackTrace(Exception e) {
    StringWriter text = new StringWriter();
    e.printStackTrace(new PrintWriter(text, true));
    return text.toString();
  }
}
