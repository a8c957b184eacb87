// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import io.trino.tpcds.Results;
import io.trino.tpcds.Session;
import io.trino.tpcds.Table;
import io.trino.tpcds.column.Column;
import io.trino.tpcds.column.ColumnType;
import java.math.BigDecimal;
import java.sql.Date;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The generator's rows of one table, as rows of Spark. */
final class TableRows {
  /** Where the generator's names are not those of Spark's TPC-DS schema, which the queries use. */
  private static final Map<String, String> SPARK_NAMES =
      Map.of(
          "c_last_review_date_sk", "c_last_review_date",
          "p_response_targe", "p_response_target",
          "s_tax_precentage", "s_tax_percentage");

  private final Table table;
  private final DataType[] types;

  TableRows(Table table) {
    this.table = table;
    this.types = new DataType[table.getColumns().length];
    for (int i = 0; i < types.length; i++) {
      types[i] = type(table.getColumns()[i].getType());
    }
  }

  StructType schema() {
    List<StructField> fields = new ArrayList<>();
    for (Column column : table.getColumns()) {
      String name = SPARK_NAMES.getOrDefault(column.getName(), column.getName());
      fields.add(DataTypes.createStructField(name, types[fields.size()], true));
    }
    return DataTypes.createStructType(fields);
  }

  /** One of several parts of the table, counted from 1. */
  Iterator<Row> part(double scale, int parts, int part) {
    Session session =
        Session.getDefaultSession()
            .withScale(scale)
            .withParallelism(parts)
            .withChunkNumber(part)
            .withTable(table)
            .withNoSexism(true);
    Iterator<List<List<String>>> generated = Results.constructResults(table, session).iterator();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return generated.hasNext();
      }

      @Override
      public Row next() {
        return row(generated.next().get(0));
      }
    };
  }

  private Row row(List<String> values) {
    Object[] cells = new Object[types.length];
    for (int i = 0; i < cells.length; i++) {
      cells[i] = cell(values.get(i), types[i]);
    }
    return RowFactory.create(cells);
  }

  private static Object cell(String value, DataType type) {
    if (value == null || type.equals(DataTypes.StringType)) {
      return value;
    }
    if (type instanceof DecimalType) {
      return new BigDecimal(value);
    }
    return type.equals(DataTypes.DateType) ? Date.valueOf(value) : Integer.valueOf(value);
  }

  /** The types that Spark's own TPC-DS schema has; its CHAR and VARCHAR are read as strings. */
  private static DataType type(ColumnType type) {
    return switch (type.getBase()) {
      case IDENTIFIER, INTEGER, TIME -> DataTypes.IntegerType;
      case DECIMAL ->
          DataTypes.createDecimalType(
              type.getPrecision().orElseThrow(), type.getScale().orElseThrow());
      case DATE -> DataTypes.DateType;
      case CHAR, VARCHAR -> DataTypes.StringType;
    };
  }
}
