// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.sparkhome;

import dev.verbena.integration.IntegrationException;
import dev.verbena.integration.RunDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A standalone master and its workers, each a JVM of its own, on loopback and ports that the system
 * chooses. Closing it ends them, executors included.
 */
public final class StandaloneCluster implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(90);
  private static final Pattern MASTER_URL =
      Pattern.compile("Starting Spark master at (spark://[^\\s]+)");
  private static final String ADDRESS = "127.0.0.1";

  private final List<SparkProcess> processes = new ArrayList<>();
  private String url;

  private StandaloneCluster() {}

  /**
   * Starts a cluster and waits until all workers have registered.
   *
   * @param memoryEach what each worker offers, as Spark writes sizes ("3g")
   */
  public static StandaloneCluster start(
      SparkHome home, RunDirectory run, int workers, int coresEach, String memoryEach) {
    return start(home, run, Collections.nCopies(workers, ADDRESS), coresEach, memoryEach);
  }

  /**
   * The same with workers at addresses of one's choice: to Spark, another address is another host.
   *
   * @param addresses numeric ones of the loopback network, one a worker
   */
  public static StandaloneCluster start(
      SparkHome home, RunDirectory run, List<String> addresses, int coresEach, String memoryEach) {
    StandaloneCluster cluster = new StandaloneCluster();
    Path folder = makeFolder(run);
    try {
      cluster.startMaster(home, folder);
      for (int i = 0; i < addresses.size(); i++) {
        cluster.startWorker(home, run, folder, i, addresses.get(i), coresEach, memoryEach);
      }
      for (SparkProcess worker : cluster.workers()) {
        worker.awaitLog("Successfully registered with master", START);
      }
      return cluster;
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  /** What an application names as its master. */
  public String url() {
    return url;
  }

  /** The workers; their executors are their descendants. */
  public List<SparkProcess> workers() {
    return List.copyOf(processes.subList(1, processes.size()));
  }

  @Override
  public void close() {
    for (int i = processes.size() - 1; i >= 0; i--) {
      processes.get(i).close();
    }
  }

  /** A run may have several clusters, whose logs are read for what each has said. */
  private static Path makeFolder(RunDirectory run) {
    try {
      return Files.createTempDirectory(run.disk(), "standalone-");
    } catch (IOException e) {
      throw new IntegrationException("cannot make a cluster's folder in " + run.disk(), e);
    }
  }

  private void startMaster(SparkHome home, Path folder) {
    SparkProcess master =
        SparkProcess.start(
            "master",
            home,
            List.of(),
            List.of(
                "-Xmx512m",
                "org.apache.spark.deploy.master.Master",
                "--host",
                ADDRESS,
                "--port",
                "0",
                "--webui-port",
                "0"),
            Map.of(),
            folder.resolve("master.log"),
            false);
    processes.add(master);
    master.awaitLog("I have been elected leader", START);
    Matcher matcher = MASTER_URL.matcher(master.readLog());
    if (!matcher.find()) {
      throw new IntegrationException("the master's log names no URL: " + master.log());
    }
    url = matcher.group(1);
  }

  private void startWorker(
      SparkHome home,
      RunDirectory run,
      Path folder,
      int index,
      String address,
      int cores,
      String memory) {
    String name = "worker-" + index;
    Path work = folder.resolve(name);
    processes.add(
        SparkProcess.start(
            name,
            home,
            List.of(),
            List.of(
                "-Xmx512m",
                "org.apache.spark.deploy.worker.Worker",
                "--host",
                address,
                "--port",
                "0",
                "--webui-port",
                "0",
                "--cores",
                Integer.toString(cores),
                "--memory",
                memory,
                "--work-dir",
                work.toString(),
                url),
            // A standalone worker, not the application, chooses its executors' local folders.
            Map.of("SPARK_LOCAL_DIRS", run.memory().resolve(name).toString()),
            folder.resolve(name + ".log"),
            false));
  }
}
