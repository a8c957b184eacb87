// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;
import dev.verbena.integration.bench.ShuffleProtocol.Reply;
import dev.verbena.integration.bench.ShuffleProtocol.Request;
import dev.verbena.integration.sidebyside.ApplicationServer;
import dev.verbena.integration.sidebyside.Cluster;
import dev.verbena.integration.sidebyside.JobMetrics;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Set;
import org.apache.spark.ContextCleaner;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/** A Spark application that runs the shuffles it is asked for. Argument: the launcher's port. */
public final class ShuffleServer {
  private final SparkSession spark;
  private final ApplicationServer server;
  private final StageClock clock = new StageClock();

  private ShuffleServer(SparkSession spark, ApplicationServer server) {
    this.spark = spark;
    this.server = server;
    spark.sparkContext().addSparkListener(clock);
  }

  /** Serves until the launcher closes the connection. */
  public static void main(String[] args) throws IOException {
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      ApplicationServer server = ApplicationServer.of(spark.sparkContext(), Cluster.EXECUTORS);
      ShuffleServer shuffles = new ShuffleServer(spark, server);
      server.serve(Integer.parseInt(args[0]), Request.class, shuffles::answer);
    }
  }

  private Reply answer(Request request) {
    try {
      return measure(request);
    } catch (Exception e) {
      // The launcher is told, and decides.
      StringWriter text = new StringWriter();
      e.printStackTrace(new PrintWriter(text, true));
      return Reply.failed(text.toString());
    }
  }

  private Reply measure(Request request) {
    SparkContext context = spark.sparkContext();
    context.setJobGroup(request.name(), request.name(), false);
    long[] executors = executors();
    CpuWatch executorCpu = CpuWatch.of(executors);
    CpuWatch cpu = CpuWatch.start(executors);
    long started = System.nanoTime();
    RowDigest digest =
        switch (request.what().shape()) {
          case small -> SmallPairs.shuffle(new JavaSparkContext(context), request.what());
          case large -> WideRows.shuffle(spark, request.what(), request.checked());
        };
    double wall = (System.nanoTime() - started) / 1e9;
    double executorSeconds = executorCpu.ownSeconds();
    double driverSeconds = cpu.ownSeconds() - executorSeconds;
    double others = cpu.othersShare();
    JobMetrics metrics = server.takeMetrics(request.name());
    StageClock.Lap lap = clock.lap();
    drop(context, lap.shuffles());
    return new Reply(
        null,
        digest,
        wall,
        lap.mapSeconds(),
        lap.reduceSeconds(),
        executorSeconds,
        driverSeconds,
        others,
        metrics);
  }

  private static long[] executors() {
    long[] executors =
        ProcessHandle.current()
            .descendants()
            .filter(child -> child.info().commandLine().orElse("").contains("ExecutorBackend"))
            .mapToLong(ProcessHandle::pid)
            .toArray();
    if (executors.length != Cluster.EXECUTORS) {
      throw new IntegrationException(
          "want " + Cluster.EXECUTORS + " executors, found " + executors.length);
    }
    return executors;
  }

  /** Now, since Spark's own cleaner would do it while the other application has its turn. */
  private static void drop(SparkContext context, Set<Integer> shuffles) {
    ContextCleaner cleaner = context.cleaner().get();
    shuffles.forEach(shuffle -> cleaner.doCleanupShuffle(shuffle, true));
  }
}
