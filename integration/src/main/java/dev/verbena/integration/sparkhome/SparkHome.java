// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.sparkhome;

import dev.verbena.integration.Checkout;
import dev.verbena.integration.IntegrationException;
import dev.verbena.integration.RunDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * A {@code SPARK_HOME} of one run: the jars are a link to those that the build assembled, while
 * {@code conf} and {@code work} are the run's own. (A {@code local-cluster} master always puts its
 * executors' work folders under {@code SPARK_HOME/work}.)
 */
public final class SparkHome {
  private static final String SCALA_VERSION = "2.13";
  private static final String LOG_CONFIGURATION = "log4j2.properties";

  private final Path root;

  private SparkHome(Path root) {
    this.root = root;
  }

  /** Makes a home in the disk folder of a run, or returns the one made there before. */
  public static SparkHome in(RunDirectory run, Checkout checkout) {
    Path root = run.disk().resolve("spark-home");
    Path conf = root.resolve("conf");
    if (Files.exists(conf)) {
      return new SparkHome(root);
    }
    try (InputStream log = SparkHome.class.getResourceAsStream(LOG_CONFIGURATION)) {
      Files.createDirectories(conf);
      Files.createSymbolicLink(root.resolve("jars"), checkout.sparkJars());
      Files.copy(log, conf.resolve(LOG_CONFIGURATION));
    } catch (IOException e) {
      throw new IntegrationException("cannot make a Spark home in " + root, e);
    }
    return new SparkHome(root);
  }

  /** The home's root folder. */
  public Path root() {
    return root;
  }

  /** Where workers of a {@code local-cluster} keep their executors' logs. */
  public Path work() {
    return root.resolve("work");
  }

  /** The class path that Spark's own scripts would make. */
  String classPath() {
    return root.resolve("conf") + ":" + root.resolve("jars") + "/*";
  }

  /** Removes what the user's shell may hold for another Spark, and sets what this home needs. */
  void prepare(Map<String, String> environment) {
    environment
        .keySet()
        .removeIf(
            name ->
                name.startsWith("SPARK_")
                    || name.equals("HADOOP_CONF_DIR")
                    || name.equals("YARN_CONF_DIR")
                    || name.equals("CLASSPATH"));
    environment.put("SPARK_HOME", root.toString());
    environment.put("SPARK_CONF_DIR", root.resolve("conf").toString());
    environment.put("SPARK_SCALA_VERSION", SCALA_VERSION);
    environment.put("SPARK_LOCAL_IP", "127.0.0.1");
    environment.put("JAVA_HOME", System.getProperty("java.home"));
  }
}
