// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.Checkout;
import dev.verbena.integration.IntegrationException;
import dev.verbena.integration.RunDirectory;
import dev.verbena.integration.sidebyside.Application;
import dev.verbena.integration.sidebyside.Cluster;
import dev.verbena.integration.sidebyside.JobMetrics;
import dev.verbena.integration.sidebyside.SparkSubject;
import dev.verbena.integration.sparkhome.SparkApplication;
import dev.verbena.integration.tpcds.QueryProtocol.Reply;
import dev.verbena.integration.tpcds.QueryProtocol.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Runs queries on several applications that are alive side by side: one query at a time is given to
 * each in turn, the others idle, and each query begins with another of them.
 */
final class TpcdsRun implements AutoCloseable {
  private static final Duration START = Duration.ofMinutes(10);

  private final Settings settings;
  private final TpcdsData data;
  private final Cluster cluster;
  private final Map<SparkSubject, Application> servers = new HashMap<>();

  /**
   * What is run.
   *
   * @param subjects the first is what the others are held against, unless it is alone
   * @param executorMebibytes heap of each executor
   * @param conf given to all subjects
   */
  record Settings(
      List<SparkSubject> subjects,
      int executorMebibytes,
      Duration queryTimeout,
      Map<String, String> conf) {}

  TpcdsRun(Settings settings, TpcdsData data, Checkout checkout, RunDirectory run) {
    this.settings = settings;
    this.data = data;
    this.cluster = new Cluster(checkout, run, settings.executorMebibytes(), settings.conf());
  }

  /** Starts all applications, at the same time. */
  void start() {
    settings.subjects().forEach(subject -> servers.put(subject, launch(subject)));
    servers.values().forEach(server -> server.awaitReady(START));
  }

  /** Runs the queries and hands out what came of each. */
  void run(List<String> queries, QueryCatalog catalog, Consumer<QueryOutcome> outcomes) {
    for (int i = 0; i < queries.size(); i++) {
      List<SparkSubject> order = new ArrayList<>(settings.subjects());
      Collections.rotate(order, -i);
      Request request = new Request(queries.get(i), catalog.sql(queries.get(i)));
      Map<SparkSubject, Reply> replies = new HashMap<>();
      order.forEach(subject -> replies.put(subject, ask(subject, request)));
      outcomes.accept(judge(request.name(), replies));
    }
  }

  /** What came of a query, in the order of the subjects. */
  private QueryOutcome judge(String query, Map<SparkSubject, Reply> replies) {
    List<QueryOutcome.Run> runs = new ArrayList<>();
    SparkSubject reference = settings.subjects().get(0);
    for (SparkSubject subject : settings.subjects()) {
      Reply reply = replies.get(subject);
      Verdict verdict =
          subject.equals(reference) ? alone(reply) : compare(replies.get(reference), reply);
      int rows = reply.result() == null ? 0 : reply.result().rows().size();
      runs.add(new QueryOutcome.Run(subject, verdict, rows, reply.wallSeconds(), reply.metrics()));
    }
    return new QueryOutcome(query, runs);
  }

  private static Verdict alone(Reply reply) {
    return reply.error() == null
        ? Verdict.of(Verdict.Kind.NOT_COMPARED)
        : new Verdict(Verdict.Kind.FAILED, reply.error());
  }

  private static Verdict compare(Reply reference, Reply reply) {
    if (reply.error() != null) {
      return new Verdict(Verdict.Kind.FAILED, reply.error());
    }
    if (reference.error() != null) {
      return new Verdict(Verdict.Kind.FAILED, "there is no result to compare with");
    }
    return ResultComparison.compare(reference.result(), reply.result());
  }

  /** An application that has broken down is replaced, so that the next queries can run. */
  private Reply ask(SparkSubject subject, Request request) {
    long started = System.nanoTime();
    try {
      if (!servers.containsKey(subject)) {
        servers.put(subject, launch(subject));
        servers.get(subject).awaitReady(START);
        started = System.nanoTime();
      }
      return servers
          .get(subject)
          .ask(request.name(), request, Reply.class, settings.queryTimeout());
    } catch (IntegrationException e) {
      servers.remove(subject).close();
      double seconds = (System.nanoTime() - started) / 1e9;
      return new Reply(e.getMessage(), null, seconds, JobMetrics.NONE);
    }
  }

  private Application launch(SparkSubject subject) {
    SparkApplication application =
        cluster.application(
            subject, QueryServer.class, Map.of("spark.sql.session.timeZone", "UTC"));
    return cluster.start(
        application, data.folder().toString(), Integer.toString(Cluster.EXECUTORS));
  }

  @Override
  public void close() {
    servers.values().forEach(Application::close);
  }
}
