// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.exchange.ExchangeComparison;
import dev.verbena.integration.exchange.ShuffleRecorder;
import dev.verbena.integration.tpcds.QueryProtocol.Request;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * All queries once, with what each map task wrote held against the reference.
 *
 * @param out told the totals
 */
record Checksums(PrintStream out) implements Course {
  @Override
  public Map<String, String> conf() {
    return Map.of(ShuffleRecorder.ADAPTIVE, "false", ShuffleRecorder.CHECKSUMS, "true");
  }

  @Override
  public void run(
      TpcdsRun run, List<String> queries, QueryCatalog catalog, Consumer<QueryOutcome> outcomes) {
    for (int i = 0; i < queries.size(); i++) {
      String query = queries.get(i);
      Request request = new Request(query, catalog.sql(query), true, null);
      outcomes.accept(Rounds.inTurn(run, request, i));
    }
  }

  /** A run in which no map output was compared has shown nothing. */
  @Override
  public List<String> conclude(List<QueryOutcome> outcomes) {
    ExchangeComparison all =
        outcomes.stream()
            .flatMap(outcome -> outcome.runs().stream())
            .map(run -> run.checks().exchanges())
            .filter(Objects::nonNull)
            .reduce(ExchangeComparison.NONE, ExchangeComparison::plus);
    out.println("map outputs of all queries: " + all.inWords());
    return all.mapOutputs() == 0 ? List.of("no map output was compared") : List.of();
  }
}
