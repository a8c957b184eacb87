// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import java.util.List;

/**
 * The rows of a query, each cell as text that is exact for its type; a null cell is SQL's null.
 *
 * @param columns in order
 * @param rows as many cells each as there are columns
 */
record QueryResult(List<Column> columns, List<List<String>> rows) {
  /**
   * A column.
   *
   * @param type as Spark spells it, with precision and scale
   */
  record Column(String name, String type) {
    boolean isFloatingPoint() {
      return type.equals("double") || type.equals("float");
    }
  }
}
