// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.sidebyside.SparkSubject;
import dev.verbena.integration.tpcds.QueryProtocol.Reply;
import dev.verbena.integration.tpcds.QueryProtocol.Request;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * All queries, so many times over. A query is given to one subject after the other; each query
 * begins with another of them, and so does each round.
 *
 * @param count how many rounds
 */
record Rounds(int count) implements Course {
  @Override
  public void run(
      TpcdsRun run, List<String> queries, QueryCatalog catalog, Consumer<QueryOutcome> outcomes) {
    for (int round = 0; round < count; round++) {
      for (int i = 0; i < queries.size(); i++) {
        String query = queries.get(i);
        Request request = Request.plain(query, catalog.sql(query));
        outcomes.accept(inTurn(run, request, round + i));
      }
    }
  }

  /** Gives a query to all, beginning with the one of that number. */
  static QueryOutcome inTurn(TpcdsRun run, Request request, int first) {
    List<SparkSubject> order = new ArrayList<>(run.subjects());
    Collections.rotate(order, -first);
    Map<SparkSubject, Reply> replies = new HashMap<>();
    order.forEach(subject -> replies.put(subject, run.ask(subject, request)));
    return run.judge(request, replies);
  }
}
