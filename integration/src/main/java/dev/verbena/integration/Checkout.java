// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Where the parts of a built checkout of this repository lie.
 *
 * @param root the repository's root
 */
public record Checkout(Path root) {
  private static final String HOME_VARIABLE = "VERBENA_HOME";
  private static final String PLUGIN_JAR_GLOB = "verbena-spark-4.2_2.13-*.jar";

  /** The checkout named by {@code VERBENA_HOME}, else the one that this class was built in. */
  public static Checkout locate() {
    return locate(System.getenv());
  }

  static Checkout locate(Map<String, String> environment) {
    String home = environment.get(HOME_VARIABLE);
    if (home != null && !home.isBlank()) {
      return new Checkout(Path.of(home).toAbsolutePath().normalize());
    }
    for (Path path = codeOf(Checkout.class); path != null; path = path.getParent()) {
      if (Files.isRegularFile(path.resolve("integration/pom.xml"))) {
        return new Checkout(path);
      }
    }
    throw new IntegrationException("no checkout found: set " + HOME_VARIABLE + " to its root");
  }

  /** The jar or the folder of classes that a class was loaded from. */
  public static Path codeOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IntegrationException("no path for the code of " + type.getName(), e);
    }
  }

  /** The jars of a Spark distribution, as the build assembled them. */
  public Path sparkJars() {
    return built(root.resolve("integration/target/spark-home/jars"));
  }

  /** Spark's own tests of its SQL module, which hold the TPC-DS queries. */
  public Path sparkSqlTestsJar() {
    return built(root.resolve("integration/target/spark-tests/spark-sql-tests.jar"));
  }

  /** The shaded plug-in jar, the one file that a user is given. */
  public Path pluginJar() {
    Path target = built(root.resolve("spark-plugin/target"));
    List<Path> jars = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(target, PLUGIN_JAR_GLOB)) {
      for (Path jar : found) {
        String name = jar.getFileName().toString();
        if (!name.endsWith("-tests.jar") && !name.endsWith("-sources.jar")) {
          jars.add(jar);
        }
      }
    } catch (IOException e) {
      throw new IntegrationException("cannot list " + target, e);
    }
    if (jars.size() != 1) {
      throw new IntegrationException(
          "want one " + PLUGIN_JAR_GLOB + " in " + target + ", found " + jars);
    }
    return jars.get(0);
  }

  /** Where generated TPC-DS data is kept between runs. */
  public Path tpcdsData() {
    return root.resolve("data/tpcds");
  }

  /** Where the scratch folders of runs are made. */
  public Path runs() {
    return root.resolve("integration/target/runs");
  }

  private static Path built(Path path) {
    if (!Files.exists(path)) {
      throw new IntegrationException(path + " is missing: build first (./mvnw package)");
    }
    return path;
  }
}
