// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import io.trino.tpcds.Session;
import io.trino.tpcds.Table;
import java.util.Map;
import java.util.OptionalLong;

/** How many rows a table must have, as far as that is known beforehand. */
final class ExpectedRows {
  /**
   * Sales and returns are drawn, a random number of rows an order; at scale 1 these are what the
   * TPC's own generator makes.
   */
  private static final Map<Table, Long> DRAWN_AT_SCALE_1 =
      Map.of(
          Table.STORE_SALES, 2_880_404L,
          Table.STORE_RETURNS, 287_514L,
          Table.CATALOG_SALES, 1_441_548L,
          Table.CATALOG_RETURNS, 144_067L,
          Table.WEB_SALES, 719_384L,
          Table.WEB_RETURNS, 71_763L);

  /** An order is about ten rows, and each costs as much as five rows of another table. */
  private static final int WORK_PER_ORDER = 50;

  private ExpectedRows() {}

  /** The work of making a table, in rows of a plain one. */
  static long work(Table table, double scale) {
    return nominal(table, scale) * (DRAWN_AT_SCALE_1.containsKey(table) ? WORK_PER_ORDER : 1);
  }

  /** The exact count, or nothing if the table is drawn and the scale is not 1. */
  static OptionalLong of(Table table, double scale) {
    if (!DRAWN_AT_SCALE_1.containsKey(table)) {
      return OptionalLong.of(nominal(table, scale));
    }
    return scale == 1 ? OptionalLong.of(DRAWN_AT_SCALE_1.get(table)) : OptionalLong.empty();
  }

  /** Rows; of sales and returns: orders. */
  private static long nominal(Table table, double scale) {
    return Session.getDefaultSession().withScale(scale).getScaling().getRowCount(table);
  }
}
