// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.IntegrationException;
import dev.verbena.integration.sidebyside.Json;
import io.trino.tpcds.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/**
 * A Spark application that writes the 24 TPC-DS tables as Parquet, checks their row counts and
 * then, last, writes the manifest. Arguments: scale, folder.
 */
public final class TpcdsGenerator {
  /** Told by the data's manifest; another one makes other data. */
  static final String NAME = "io.trino.tpcds:tpcds:1.4, columns named as in Spark's schema";

  /** What one task makes, see {@link ExpectedRows#work}. */
  private static final long WORK_PER_PART = 500_000;

  /** Bounds the files of a table, and the work lost between two lines of progress. */
  private static final int MAX_PARTS = 64;

  private final SparkSession spark;
  private final double scale;
  private final Path folder;

  private TpcdsGenerator(SparkSession spark, double scale, Path folder) {
    this.spark = spark;
    this.scale = scale;
    this.folder = folder;
  }

  public static void main(String[] args) throws IOException {
    Scale scale = Scale.parse(args[0]);
    Path folder = Path.of(args[1]);
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      TpcdsGenerator generator = new TpcdsGenerator(spark, scale.factor().doubleValue(), folder);
      SortedMap<String, DataManifest.TableFiles> tables = generator.run();
      Json.write(
          folder.resolve(DataManifest.FILE), new DataManifest(NAME, scale.toString(), tables));
    }
  }

  private SortedMap<String, DataManifest.TableFiles> run() {
    List<Table> tables = new ArrayList<>(Table.getBaseTables());
    tables.remove(Table.DBGEN_VERSION);
    tables.sort(Comparator.comparingLong(table -> ExpectedRows.work(table, scale)));
    long total = tables.stream().mapToLong(table -> ExpectedRows.work(table, scale)).sum();
    PartProgress progress = new PartProgress(total, System.out);
    spark.sparkContext().addSparkListener(progress);
    SortedMap<String, DataManifest.TableFiles> written = new TreeMap<>();
    for (Table table : tables) {
      int parts = parts(table);
      progress.begin(name(table), parts, ExpectedRows.work(table, scale));
      DataManifest.TableFiles files = write(table, parts);
      progress.end(files.rows());
      written.put(name(table), files);
    }
    return written;
  }

  private DataManifest.TableFiles write(Table table, int parts) {
    TableRows rows = new TableRows(table);
    String output = folder.resolve(name(table)).toString();
    spark
        .createDataFrame(generated(table.name(), parts), rows.schema())
        .write()
        .mode(SaveMode.Overwrite)
        .parquet(output);
    long count = spark.read().parquet(output).count();
    OptionalLong expected = ExpectedRows.of(table, scale);
    if (expected.isPresent() && expected.getAsLong() != count) {
      throw new IntegrationException(
          name(table) + " has " + count + " rows, not " + expected.getAsLong());
    }
    return new DataManifest.TableFiles(
        count, DataManifest.parquetBytes(folder.resolve(name(table))));
  }

  private JavaRDD<Row> generated(String table, int parts) {
    double ofScale = scale;
    List<Integer> numbers = IntStream.rangeClosed(1, parts).boxed().toList();
    FlatMapFunction<Integer, Row> generate =
        part -> new TableRows(Table.valueOf(table)).part(ofScale, parts, part);
    return JavaSparkContext.fromSparkContext(spark.sparkContext())
        .parallelize(new ArrayList<>(numbers), parts)
        .flatMap(generate);
  }

  private int parts(Table table) {
    return (int) Math.max(1, Math.min(MAX_PARTS, ExpectedRows.work(table, scale) / WORK_PER_PART));
  }

  private static String name(Table table) {
    return table.getName().toLowerCase(Locale.ROOT);
  }
}
