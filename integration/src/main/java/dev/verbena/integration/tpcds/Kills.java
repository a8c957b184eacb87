// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.IntegrationException;
import dev.verbena.integration.exchange.ShuffleRecorder;
import dev.verbena.integration.kill.KillPoint;
import dev.verbena.integration.kill.KillPoints;
import dev.verbena.integration.kill.KillReport;
import dev.verbena.integration.sidebyside.JobMetrics;
import dev.verbena.integration.sidebyside.SparkSubject;
import dev.verbena.integration.tpcds.QueryProtocol.Reply;
import dev.verbena.integration.tpcds.QueryProtocol.Request;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Queries in which an executor is killed, held against the reference's undisturbed result. Queries
 * and points are drawn, from those whose undisturbed run on the subject read across executors: a
 * loss of what nobody reads shows nothing. Adaptive execution is off, so that tasks come in the
 * same order each time, nearly.
 */
final class Kills implements Course {
  private static final int MOST_MISSES = 10;

  private final int count;
  private final Random random;
  private final PrintStream out;
  private final Map<String, Undisturbed> undisturbed = new HashMap<>();
  private final Map<String, String> struckOff = new TreeMap<>();
  private final List<String> faults = new ArrayList<>();

  /** What a query gives without a kill. */
  private record Undisturbed(Reply reference, KillPoints points) {}

  /**
   * So many kills that hit something.
   *
   * @param seed of the draws
   */
  Kills(int count, long seed, PrintStream out) {
    this.count = count;
    this.random = new Random(seed);
    this.out = out;
    out.println("executors to kill: " + count + ", seed " + seed);
  }

  @Override
  public Map<String, String> conf() {
    return Map.of(ShuffleRecorder.ADAPTIVE, "false");
  }

  @Override
  public void run(
      TpcdsRun run, List<String> queries, QueryCatalog catalog, Consumer<QueryOutcome> outcomes) {
    List<String> left = new ArrayList<>(queries);
    for (int kill = 1; kill <= count && faults.isEmpty(); kill++) {
      boolean hit = false;
      for (int misses = 0; !hit && misses <= MOST_MISSES; misses++) {
        String query = draw(run, left, catalog, outcomes);
        hit = kill("kill " + kill, run, Request.plain(query, catalog.sql(query)), outcomes);
      }
      if (!hit) {
        faults.add("kill " + kill + " hit nothing, nor did " + MOST_MISSES + " draws more");
      }
    }
  }

  /** Whether it need not be drawn again; a query that failed is told as a fault. */
  private boolean kill(String kill, TpcdsRun run, Request plain, Consumer<QueryOutcome> outcomes) {
    Undisturbed expected = undisturbed.get(plain.name());
    KillPoint point = expected.points().draw(random);
    out.println(kill + ", " + plain.name() + ": " + point.inWords());
    SparkSubject subject = run.subjects().get(1);
    Request request = new Request(plain.name(), plain.sql(), false, point);
    Reply reply = run.ask(subject, request);
    outcomes.accept(run.judge(request, expected.reference(), subject, reply));
    KillReport report = reply.kill();
    return report == null || report.miss() == null;
  }

  /** A query that reads across executors, which is known once it has run; others are struck off. */
  private String draw(
      TpcdsRun run, List<String> left, QueryCatalog catalog, Consumer<QueryOutcome> outcomes) {
    while (!left.isEmpty()) {
      String query = left.get(random.nextInt(left.size()));
      if (undisturbed.containsKey(query)) {
        return query;
      }
      Request request = Request.plain(query, catalog.sql(query));
      Map<SparkSubject, Reply> replies = new HashMap<>();
      run.subjects().forEach(subject -> replies.put(subject, run.ask(subject, request)));
      outcomes.accept(run.judge(request, replies));
      Reply reference = replies.get(run.subjects().get(0));
      Reply subject = replies.get(run.subjects().get(1));
      if (reference.error() == null && !subject.points().none()) {
        undisturbed.put(query, new Undisturbed(reference, subject.points()));
        return query;
      }
      left.remove(query);
      struckOff.put(query, whyNot(reference, subject));
      out.println("no kill in " + query + ": " + struckOff.get(query));
    }
    throw new IntegrationException(
        "in no query would the loss of an executor be felt: " + struckOff);
  }

  private static String whyNot(Reply reference, Reply subject) {
    if (reference.error() != null || subject.error() != null) {
      return "it fails without one";
    }
    JobMetrics metrics = subject.metrics();
    return "%d tasks read %d shuffle bytes, %d of them from another executor"
        .formatted(
            metrics.tasks().count(),
            metrics.shuffle().bytesRead(),
            metrics.carriers().foreignBytes());
  }

  /** All that the executors had mapped must be gone, the dead ones' included. */
  @Override
  public List<String> conclude(List<QueryOutcome> outcomes) {
    List<String> files =
        outcomes.stream()
            .flatMap(outcome -> outcome.runs().stream())
            .map(run -> run.checks().kill())
            .filter(Objects::nonNull)
            .flatMap(kill -> kill.memory().stream())
            .distinct()
            .toList();
    if (files.isEmpty()) {
      faults.add("no executor is known to have mapped a file in memory");
    }
    List<String> leaked =
        files.stream()
            .filter(file -> Files.exists(Path.of(file)))
            .map(file -> "left in memory: " + file)
            .toList();
    out.printf(
        "%d files in memory that executors had mapped when one was killed, %d left%n",
        files.size(), leaked.size());
    faults.addAll(leaked);
    return faults;
  }
}
