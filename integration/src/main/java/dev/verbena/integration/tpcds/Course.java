// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** In which order queries are put to the applications, and what else is done meanwhile. */
interface Course {
  /** What all applications must be configured with. */
  default Map<String, String> conf() {
    return Map.of();
  }

  /** Runs queries and hands out what came of each. */
  void run(
      TpcdsRun run, List<String> queries, QueryCatalog catalog, Consumer<QueryOutcome> outcomes);

  /**
   * Looks at all that came of it, once the applications have ended.
   *
   * @return why it has not shown what it should; empty if it has
   */
  default List<String> conclude(List<QueryOutcome> outcomes) {
    return List.of();
  }
}
