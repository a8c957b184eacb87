// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.integration.Checkout;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser$;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.junit.jupiter.api.Test;

class OutermostLimitTest {
  @Test
  void allOutputColumnsFollowWhatTheQueryOrdersBy() throws Exception {
    assertThat(ordered("select a, b from t order by b desc limit 5", 2))
        .isEqualTo(parsed("select a, b from t order by b desc, 1, 2 limit 5"));
  }

  @Test
  void aLimitWithoutAnOrderGetsOne() throws Exception {
    assertThat(ordered("select a, b from t limit 5", 2))
        .isEqualTo(parsed("select a, b from t order by 1, 2 limit 5"));
  }

  @Test
  void aLimitBelowWithIsOrderedAndThoseInsideAreLeftAlone() throws Exception {
    String with = "with w as (select a from t order by a limit 3) ";
    assertThat(ordered(with + "select a from w order by a desc limit 5", 1))
        .isEqualTo(parsed(with + "select a from w order by a desc, 1 limit 5"));
  }

  @Test
  void aLimitInASubqueryIsLeftAlone() throws Exception {
    String sql = "select a from (select a from t limit 3) order by a";
    assertThat(ordered(sql, 1)).isEqualTo(parsed(sql));
  }

  @Test
  void theWholeOfAUnionIsOrdered() throws Exception {
    String union = "select a from t union all select a from u ";
    assertThat(ordered(union + "order by a limit 5", 1))
        .isEqualTo(parsed(union + "order by a, 1 limit 5"));
  }

  @Test
  void aQueryWithoutLimitIsLeftAlone() throws Exception {
    String sql = "select a from t order by a";
    assertThat(ordered(sql, 1)).isEqualTo(parsed(sql));
  }

  @Test
  void ofTheTpcdsQueriesThoseThatEndInALimitAreChanged() throws Exception {
    QueryCatalog catalog = QueryCatalog.read(Checkout.locate().sparkSqlTestsJar());
    List<String> unchanged = new ArrayList<>();
    for (String query : catalog.names()) {
      LogicalPlan parsed = parsed(catalog.sql(query));
      if (OutermostLimit.ordered(parsed, 1).equals(parsed)) {
        unchanged.add(query);
      }
    }
    assertThat(unchanged)
        .containsExactly(
            "q2", "q9", "q13", "q24a", "q24b", "q31", "q34", "q39a", "q39b", "q48", "q64", "q71",
            "q73", "q87", "q88", "q91", "q98");
  }

  private static LogicalPlan ordered(String sql, int columns) throws Exception {
    return OutermostLimit.ordered(parsed(sql), columns);
  }

  private static LogicalPlan parsed(String sql) throws Exception {
    return CatalystSqlParser$.MODULE$.parsePlan(sql);
  }
}
