// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.Checkout;
import dev.verbena.integration.IntegrationException;
import dev.verbena.integration.RunDirectory;
import dev.verbena.integration.exchange.ExchangeComparison;
import dev.verbena.integration.sidebyside.Application;
import dev.verbena.integration.sidebyside.Cluster;
import dev.verbena.integration.sidebyside.SparkSubject;
import dev.verbena.integration.sparkhome.SparkApplication;
import dev.verbena.integration.tpcds.QueryOutcome.Checks;
import dev.verbena.integration.tpcds.QueryProtocol.Reply;
import dev.verbena.integration.tpcds.QueryProtocol.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Several applications that are alive side by side: a query is given to one at a time, while the
 * others idle.
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

  /** The first is what the others are held against. */
  List<SparkSubject> subjects() {
    return settings.subjects();
  }

  /** What came of a query, in the order of the subjects. */
  QueryOutcome judge(Request request, Map<SparkSubject, Reply> replies) {
    List<QueryOutcome.Run> runs = new ArrayList<>();
    Reply reference = replies.get(subjects().get(0));
    for (SparkSubject subject : subjects()) {
      Reply reply = replies.get(subject);
      boolean first = subject.equals(subjects().get(0));
      runs.add(
          first
              ? run(subject, reply, alone(reply), Checks.NONE)
              : run(request, subject, reference, reply));
    }
    return new QueryOutcome(request.name(), runs);
  }

  /** What came of a query that one subject alone ran, against an earlier reply of the reference. */
  QueryOutcome judge(Request request, Reply reference, SparkSubject subject, Reply reply) {
    return new QueryOutcome(request.name(), List.of(run(request, subject, reference, reply)));
  }

  private static QueryOutcome.Run run(
      Request request, SparkSubject subject, Reply reference, Reply reply) {
    return run(subject, reply, compare(reference, reply), checks(request, reference, reply));
  }

  private static QueryOutcome.Run run(
      SparkSubject subject, Reply reply, Verdict verdict, Checks checks) {
    int rows = reply.result() == null ? 0 : reply.result().rows().size();
    return new QueryOutcome.Run(
        subject, verdict, rows, reply.wallSeconds(), reply.metrics(), checks);
  }

  private static Checks checks(Request request, Reply reference, Reply reply) {
    boolean both = reference.error() == null && reply.error() == null;
    return new Checks(
        request.shuffles() && both
            ? ExchangeComparison.of(reference.shuffles(), reply.shuffles())
            : null,
        request.kill(),
        reply.kill());
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
  Reply ask(SparkSubject subject, Request request) {
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
      return Reply.none(e.getMessage(), seconds);
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
