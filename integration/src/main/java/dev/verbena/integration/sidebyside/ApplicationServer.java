// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.sidebyside;

import dev.verbena.integration.Await;
import dev.verbena.integration.IntegrationException;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.spark.SparkContext;

/**
 * The application's side of {@link Application}: runs what it is asked to, one request at a time. A
 * message is a line of JSON on a loopback connection.
 */
public final class ApplicationServer {
  /** Holds the token that an application proves itself with. */
  static final String TOKEN_VARIABLE = "VERBENA_APPLICATION_TOKEN";

  private static final Duration EXECUTORS_WITHIN = Duration.ofMinutes(8);
  private static final long LISTENERS_WITHIN_MILLIS = Duration.ofMinutes(1).toMillis();

  private final SparkContext context;
  private final JobMeter meter = new JobMeter();

  private ApplicationServer(SparkContext context) {
    this.context = context;
    context.addSparkListener(meter);
  }

  /**
   * Makes a server and waits until the application has its executors.
   *
   * @param executors how many
   */
  public static ApplicationServer of(SparkContext context, int executors) {
    ApplicationServer server = new ApplicationServer(context);
    server.awaitExecutors(executors);
    return server;
  }

  /** Waits until the application has so many executors. */
  public void awaitExecutors(int executors) {
    // The driver's own block manager is one of them.
    Await.until(
        EXECUTORS_WITHIN,
        executors + " executors have registered",
        () -> context.getExecutorMemoryStatus().size() > executors);
  }

  /**
   * Greets the launcher and answers its requests until it closes the connection.
   *
   * @param port the launcher's
   * @param requests what a line is read as
   */
  public <T> void serve(int port, Class<T> requests, Function<T, ?> answer) throws IOException {
    try (Socket launcher = new Socket(InetAddress.getLoopbackAddress(), port)) {
      BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(launcher.getInputStream(), StandardCharsets.UTF_8));
      Writer replies =
          new BufferedWriter(
              new OutputStreamWriter(launcher.getOutputStream(), StandardCharsets.UTF_8));
      String token = System.getenv(TOKEN_VARIABLE);
      say(replies, new Hello(token, context.applicationId(), context.version()));
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Object reply = answer.apply(Json.parse(line, requests));
        // Lets Spark's cleaner drop this job's shuffles; before another application has its turn.
        System.gc();
        say(replies, reply);
      }
    }
  }

  /** What the tasks of a job group did, which is forgotten then. */
  public JobMetrics takeMetrics(String jobGroup) {
    try {
      context.listenerBus().waitUntilEmpty(LISTENERS_WITHIN_MILLIS);
    } catch (TimeoutException e) {
      throw new IntegrationException("Spark's listener bus did not run dry after " + jobGroup, e);
    }
    return meter.take(jobGroup);
  }

  private static void say(Writer replies, Object message) throws IOException {
    replies.write(Json.line(message));
    replies.write('\n');
    replies.flush();
  }
}
