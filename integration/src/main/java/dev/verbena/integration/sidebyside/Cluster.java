// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.sidebyside;

import dev.verbena.integration.Checkout;
import dev.verbena.integration.RunDirectory;
import dev.verbena.integration.sparkhome.SparkApplication;
import dev.verbena.integration.sparkhome.SparkHome;
import java.util.Map;

/**
 * What all applications of a comparison have: a cluster of their own (two executors of one core,
 * each a JVM) and local files on the memory file system, which is where the plug-in's pools are
 * too.
 */
public final class Cluster {
  /** Executors of each application. */
  public static final int EXECUTORS = 2;

  private static final int EXECUTOR_CORES = 1;

  private final SparkHome home;
  private final RunDirectory run;
  private final int executorMebibytes;
  private final Map<String, String> conf;

  /**
   * The clusters of one run.
   *
   * @param executorMebibytes heap of each executor
   * @param conf given to all applications
   */
  public Cluster(
      Checkout checkout, RunDirectory run, int executorMebibytes, Map<String, String> conf) {
    this.home = SparkHome.in(run, checkout);
    this.run = run;
    this.executorMebibytes = executorMebibytes;
    this.conf = Map.copyOf(conf);
  }

  /** The master URL of such a cluster. */
  public static String master(int executorMebibytes) {
    return SparkApplication.localClusterUrl(EXECUTORS, EXECUTOR_CORES, executorMebibytes);
  }

  /**
   * The subject as an application that can be started.
   *
   * @param mainClass begins an {@link ApplicationServer}
   * @param defaults what the configurations of cluster and subject may replace
   */
  public SparkApplication application(
      SparkSubject subject, Class<?> mainClass, Map<String, String> defaults) {
    String name = subject.name().replace('/', '-');
    SparkApplication application =
        new SparkApplication(name, mainClass)
            .master(master(executorMebibytes))
            .conf("spark.executor.memory", executorMebibytes + "m")
            .conf("spark.local.dir", run.memory().resolve(name).toString())
            // Spark's default everywhere else; a local-cluster master alone turns it off.
            .conf("spark.shuffle.readHostLocalDisk", "true")
            .conf(defaults)
            .conf(conf)
            .conf(subject.conf());
    subject.jars().forEach(application::classPath);
    return application;
  }

  /**
   * Starts an application; it is not ready yet.
   *
   * @param arguments of its main class, after the launcher's port
   */
  public Application start(SparkApplication application, String... arguments) {
    return Application.start(application, home, run.disk(), arguments);
  }
}
