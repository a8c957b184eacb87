// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.exchange;

import dev.verbena.integration.IntegrationException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec;

/**
 * Tells what the map tasks of a query wrote. Runs in the driver, one query at a time; adaptive
 * execution must be off, since it makes other plans of a query from time to time.
 */
public final class ShuffleRecorder {
  /** Turns off what makes plans differ; a query is run with the default of all else. */
  public static final String ADAPTIVE = "spark.sql.adaptive.enabled";

  /** Has map tasks compute the checksums that are compared. */
  public static final String CHECKSUMS = "spark.sql.shuffle.orderIndependentChecksum.enabled";

  private static final String WITHOUT_EXCHANGE = "LIMIT";

  private final MapTaskRecords records = new MapTaskRecords();

  /** Listens to an application from now on. */
  public ShuffleRecorder(SparkContext context) {
    context.addSparkListener(records);
  }

  /** Forgets earlier queries. */
  public void begin() {
    records.clear();
  }

  /**
   * The shuffles of the query that was run, in the order of its plan; last those that are not in
   * the plan as exchanges. All events must have been delivered.
   *
   * @param plan must have been held since the query began: Spark forgets outputs that nobody can
   *     ask for
   */
  public List<Shuffle> shuffles(SparkPlan plan) {
    if (plan instanceof AdaptiveSparkPlanExec) {
      throw new IntegrationException("shuffles are compared with " + ADAPTIVE + "=false only");
    }
    List<Shuffle> shuffles = new ArrayList<>();
    SortedSet<Integer> others = records.shuffles();
    for (ShuffleExchangeExec exchange : Exchanges.in(plan)) {
      int id = exchange.shuffleId();
      if (others.remove(id)) {
        shuffles.add(
            new Shuffle(
                id,
                PlanText.name(exchange),
                PlanText.plan(exchange),
                OrderSensitivity.of(exchange),
                outputs(id)));
      }
    }
    // A LIMIT inside a plan gathers its rows by a shuffle of its own.
    others.forEach(
        id ->
            shuffles.add(
                new Shuffle(
                    id, WITHOUT_EXCHANGE, WITHOUT_EXCHANGE, OrderSensitivity.LIMIT, List.of())));
    return shuffles;
  }

  private List<MapOutput> outputs(int shuffle) {
    MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
    MapStatus[] statuses = tracker.shuffleStatuses().apply(shuffle).mapStatuses();
    List<MapOutput> outputs = new ArrayList<>(statuses.length);
    for (int map = 0; map < statuses.length; map++) {
      MapStatus status = statuses[map];
      Long written = status == null ? null : records.records(status.mapId());
      if (written == null) {
        throw new IntegrationException(
            "no task is known to have written map " + map + " of shuffle " + shuffle);
      }
      outputs.add(new MapOutput(written, status.checksumValue()));
    }
    return outputs;
  }
}
