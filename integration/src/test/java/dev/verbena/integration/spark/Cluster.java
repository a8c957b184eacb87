// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.integration.Await;
import dev.verbena.integration.Checkout;
import dev.verbena.integration.IntegrationException;
import dev.verbena.integration.RunDirectory;
import dev.verbena.integration.sparkhome.SparkApplication;
import dev.verbena.integration.sparkhome.SparkHome;
import dev.verbena.integration.sparkhome.SparkProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** A Spark home of one test class, and how its applications are made. Not thread-safe. */
final class Cluster implements AutoCloseable {
  static final String MANAGER_KEY = "spark.shuffle.manager";
  static final String MANAGER = "dev.verbena.spark.VerbenaShuffleManager";
  static final String KEYS = "spark.shuffle.verbena.";
  static final int EXECUTORS = 2;

  private static final Duration PATIENCE = Duration.ofMinutes(15);

  private final Checkout checkout = Checkout.locate();
  private final RunDirectory run;
  private final SparkHome home;

  Cluster(String name) {
    this(name, Checkout.locate().runs());
  }

  /** Whose runs leave their files elsewhere than in the checkout. */
  Cluster(String name, Path runs) {
    run = RunDirectory.create(runs, name);
    home = SparkHome.in(run, checkout);
  }

  RunDirectory run() {
    return run;
  }

  SparkHome home() {
    return home;
  }

  Checkout checkout() {
    return checkout;
  }

  /** An application on a cluster inside its driver, with stock Spark. */
  SparkApplication application(String name, Class<?> mainClass) {
    return new SparkApplication(name, mainClass)
        // For the driver and the executors that it starts: they are short-lived.
        .environment("JDK_JAVA_OPTIONS", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1")
        .classPath(Checkout.codeOf(Await.class))
        .master(SparkApplication.localClusterUrl(EXECUTORS, 1, 1024));
  }

  /** The same with the plug-in, in the way and with the one key that the README names. */
  SparkApplication verbena(String name, Class<?> mainClass) {
    return application(name, mainClass).jar(checkout.pluginJar()).conf(MANAGER_KEY, MANAGER);
  }

  /** The folder in which an application leaves what its test reads. */
  Path results(String name) {
    try {
      return Files.createDirectories(run.disk().resolve("results").resolve(name));
    } catch (IOException e) {
      throw new IntegrationException("no folder for the results of " + name, e);
    }
  }

  /** Runs an application to its end, which must be a good one. */
  void complete(SparkApplication application) {
    try (SparkProcess driver = application.start(home, run.disk())) {
      if (!driver.endsWithin(PATIENCE) || driver.awaitExit(Duration.ZERO) != 0) {
        run.keep();
        assertThat(driver.readLog()).as("log of a failed application").isEmpty();
      }
    }
  }

  /** What the executors have written to their standard error, one text each. */
  List<String> executorLogs() {
    return logs(home.work());
  }

  static List<String> logs(Path work) {
    try (Stream<Path> files = Files.walk(work)) {
      return files.filter(file -> file.endsWith("stderr")).map(Cluster::read).toList();
    } catch (IOException e) {
      throw new IntegrationException("cannot list " + work, e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    run.close();
  }
}
