// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;
import dev.verbena.integration.bench.ShuffleProtocol.Reply;
import dev.verbena.integration.bench.ShuffleProtocol.Request;
import dev.verbena.integration.sidebyside.Application;
import dev.verbena.integration.sidebyside.Cluster;
import dev.verbena.integration.sidebyside.SparkSubject;
import dev.verbena.integration.sparkhome.SparkApplication;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Two applications that are alive side by side and shuffle the same rows in turns. */
final class ShuffleBench implements AutoCloseable {
  private static final Duration START = Duration.ofMinutes(10);
  private static final List<Figure> FIGURES =
      List.of(
          new Figure("wall", Reply::wallSeconds),
          new Figure("executor_cpu", Reply::executorCpuSeconds),
          new Figure("map_stage", Reply::mapSeconds),
          new Figure("reduce_stage", Reply::reduceSeconds));

  private final Side ours;
  private final Side rival;
  private final Settings settings;
  private final Listener listener;
  private final List<String> faults = new ArrayList<>();
  private int runs;

  /**
   * How it is run.
   *
   * @param heapMebibytes of each executor, all of it taken at the start
   * @param warmUps rounds that are not counted, at least 1; rows are digested in the first
   * @param rounds rounds that are, at least 2
   * @param timeout for one job
   */
  record Settings(int heapMebibytes, int warmUps, int rounds, Duration timeout) {}

  /** Is told of each run as it comes in. */
  interface Listener {
    void ran(SparkSubject subject, Reply run, boolean counted);
  }

  private record Side(SparkSubject subject, Application application) {}

  private record Figure(String name, ToDoubleFunction<Reply> of) {}

  /** Starts both and waits until they are ready. */
  ShuffleBench(
      Cluster cluster,
      SparkSubject ours,
      SparkSubject rival,
      Settings settings,
      Listener listener) {
    this.settings = settings;
    this.listener = listener;
    this.ours = new Side(ours, launch(cluster, ours, settings));
    try {
      this.rival = new Side(rival, launch(cluster, rival, settings));
    } catch (RuntimeException e) {
      this.ours.application().close();
      throw e;
    }
    try {
      this.ours.application().awaitReady(START);
      this.rival.application().awaitReady(START);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Runs a case.
   *
   * @param benchCase its name in reports
   */
  List<Comparison> run(ShuffleCase what, String benchCase) {
    judge(shuffle(ours, what, Pass.CHECKED), shuffle(rival, what, Pass.CHECKED));
    for (int i = 1; i < settings.warmUps(); i++) {
      judge(shuffle(ours, what, Pass.WARM_UP), shuffle(rival, what, Pass.WARM_UP));
    }
    Alternation<Reply> counted =
        Alternation.run(
            () -> shuffle(ours, what, Pass.COUNTED),
            () -> shuffle(rival, what, Pass.COUNTED),
            0,
            settings.rounds());
    for (int i = 0; i < settings.rounds(); i++) {
      judge(counted.ours().get(i), counted.rival().get(i));
    }
    return FIGURES.stream()
        .map(
            figure ->
                Comparison.of(
                    new Metric(benchCase, figure.name(), "s", Metric.Better.LOWER),
                    ours.subject().name(),
                    rival.subject().name(),
                    counted.map(reply -> Sample.of(figure.of().applyAsDouble(reply)))))
        .toList();
  }

  /** What was wrong so far, in words. */
  List<String> faults() {
    return List.copyOf(faults);
  }

  @Override
  public void close() {
    try {
      ours.application().close();
    } finally {
      rival.application().close();
    }
  }

  private enum Pass {
    CHECKED,
    WARM_UP,
    COUNTED
  }

  private static Application launch(Cluster cluster, SparkSubject subject, Settings settings) {
    String start = "-Xms" + settings.heapMebibytes() + "m";
    SparkApplication application =
        cluster
            .application(
                subject,
                ShuffleServer.class,
                Map.of(
                    "spark.serializer", "org.apache.spark.serializer.KryoSerializer",
                    "spark.executor.extraJavaOptions", start,
                    "spark.sql.adaptive.enabled", "false",
                    // A long can be cast to bytes.
                    "spark.sql.ansi.enabled", "false"))
            .driverOption("-Xms1g");
    return cluster.start(application);
  }

  private Reply shuffle(Side side, ShuffleCase what, Pass pass) {
    Request request = new Request("shuffle-" + runs++, what, pass == Pass.CHECKED);
    Reply reply = side.application().ask(request.name(), request, Reply.class, settings.timeout());
    if (reply.error() != null) {
      throw new IntegrationException(
          side.subject().name() + " cannot shuffle " + what.label() + ": " + reply.error());
    }
    listener.ran(side.subject(), reply, pass == Pass.COUNTED);
    ShuffleChecks.ofRun(what, side.subject(), reply)
        .forEach(fault -> faults.add(what.label() + " on " + side.subject().name() + ": " + fault));
    return reply;
  }

  private void judge(Reply our, Reply rivals) {
    faults.addAll(ShuffleChecks.ofPair(our, rivals));
  }
}
