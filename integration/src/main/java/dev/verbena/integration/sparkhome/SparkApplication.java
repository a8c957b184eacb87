// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.sparkhome;

import dev.verbena.integration.Checkout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A Spark application to be submitted in client mode: what {@code spark-submit} would be told.
 *
 * <p>A builder: each setter returns this. Not thread-safe.
 */
public final class SparkApplication {
  private final String name;
  private final Class<?> mainClass;
  private final Map<String, String> conf = new LinkedHashMap<>();
  private final Map<String, String> environment = new LinkedHashMap<>();
  private final List<Path> classPath = new ArrayList<>();
  private final List<Path> jars = new ArrayList<>();
  private final List<String> driverOptions = new ArrayList<>();
  private List<String> arguments = List.of();
  private String master = "local[2]";
  private String driverMemory = "1g";
  private boolean showOutput;

  /**
   * An application whose main class is on this JVM's class path.
   *
   * @param name the application's name, also that of its log file
   */
  public SparkApplication(String name, Class<?> mainClass) {
    this.name = name;
    this.mainClass = mainClass;
    classPath.add(Checkout.codeOf(mainClass));
    conf("spark.ui.enabled", "false");
  }

  /** The master URL of a cluster inside the driver, whose executors are JVMs of their own. */
  public static String localClusterUrl(int executors, int coresEach, int mebibytesEach) {
    return "local-cluster[" + executors + "," + coresEach + "," + mebibytesEach + "]";
  }

  public SparkApplication master(String url) {
    master = url;
    return this;
  }

  public SparkApplication driverMemory(String size) {
    driverMemory = size;
    return this;
  }

  /** Gives the driver's JVM an option. */
  public SparkApplication driverOption(String option) {
    driverOptions.add(option);
    return this;
  }

  public SparkApplication conf(String key, String value) {
    conf.put(key, value);
    return this;
  }

  public SparkApplication conf(Map<String, String> entries) {
    conf.putAll(entries);
    return this;
  }

  /** Sets an environment variable of the driver. */
  public SparkApplication environment(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  /** Puts code before Spark on the class paths of driver and executors. */
  public SparkApplication classPath(Path code) {
    classPath.add(code);
    return this;
  }

  /** Gives a jar as {@code spark-submit --jars} does: Spark itself takes it to the executors. */
  public SparkApplication jar(Path jar) {
    jars.add(jar);
    return this;
  }

  public SparkApplication arguments(String... values) {
    arguments = List.of(values);
    return this;
  }

  /** Lets the driver's standard output appear on this JVM's, instead of in the log. */
  public SparkApplication showOutput() {
    showOutput = true;
    return this;
  }

  /** Starts the driver; its log is {@code <name>.log} in the folder given. */
  public SparkProcess start(SparkHome home, Path logs) {
    return SparkProcess.start(
        name, home, classPath, command(), environment, logs.resolve(name + ".log"), showOutput);
  }

  List<String> command() {
    List<String> command = new ArrayList<>(driverOptions);
    command.add("-Xmx" + driverMemory);
    command.add("org.apache.spark.deploy.SparkSubmit");
    command.addAll(List.of("--master", master, "--name", name, "--class", mainClass.getName()));
    command.addAll(List.of("--driver-memory", driverMemory));
    if (!jars.isEmpty()) {
      command.addAll(List.of("--jars", joined(jars, ",")));
    }
    Map<String, String> all = new LinkedHashMap<>();
    all.put("spark.executor.extraClassPath", joined(classPath, ":"));
    all.putAll(conf);
    all.forEach((key, value) -> command.addAll(List.of("--conf", key + "=" + value)));
    // The main class is on the class path already: there is no application jar.
    command.add("spark-internal");
    command.addAll(arguments);
    return command;
  }

  private static String joined(List<Path> paths, String separator) {
    return paths.stream().map(Path::toString).collect(Collectors.joining(separator));
  }
}
