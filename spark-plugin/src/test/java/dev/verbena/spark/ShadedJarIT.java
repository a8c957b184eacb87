// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Opens the jar that a user drops into Spark. */
final class ShadedJarIT {
  private static final Path PATH = Path.of(System.getProperty("verbena.plugin.jar"));

  /** What a class of ours may use: itself, the JDK, and what Spark brings. */
  private static final String ALLOWED_PACKAGES =
      "(dev\\.verbena|java|javax|sun\\.misc|scala|org\\.slf4j|org\\.apache\\.(spark|hadoop)"
          + "|io\\.netty|com\\.codahale\\.metrics)\\..*";

  private static JarFile jar;

  @BeforeAll
  static void open() throws IOException {
    jar = new JarFile(PATH.toFile());
  }

  @AfterAll
  static void close() throws IOException {
    jar.close();
  }

  @Test
  void itsNameTellsTheVersionsOfSparkAndScala() {
    assertThat(PATH.getFileName())
        .hasToString(
            "verbena-spark-4.2_2.13-%s.jar".formatted(System.getProperty("verbena.version")));
  }

  @Test
  void everyClassIsOursOrRelocated() {
    assertThat(classes()).isNotEmpty().allMatch(name -> name.startsWith("dev/verbena/"));
  }

  @Test
  void nothingThatSparkBringsIsInIt() {
    assertThat(classes())
        .noneMatch(
            name -> name.matches(".*(^|/)(org/apache/(spark|hadoop)|org/slf4j|scala|io/netty)/.*"));
  }

  @Test
  void theCoreAndTheStoreAreInIt() {
    assertThat(classes())
        .contains("dev/verbena/verbs/VerbsProvider.class")
        .anyMatch(name -> name.startsWith("dev/verbena/store/"));
  }

  @Test
  void noClassOfOursNeedsALibraryThatIsNotThere() {
    List<String> foreign =
        new ClassFileImporter()
            .importPath(PATH).stream()
                .filter(type -> !type.getPackageName().startsWith("dev.verbena.shaded"))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .map(Dependency::getTargetClass)
                .map(JavaClass::getBaseComponentType)
                .filter(type -> !type.isPrimitive())
                .map(JavaClass::getName)
                .filter(name -> !name.matches(ALLOWED_PACKAGES))
                .distinct()
                .toList();
    assertThat(foreign).isEmpty();
  }

  @Test
  void everyServiceItDeclaresIsInIt() {
    List<String> declared =
        entries()
            .filter(entry -> entry.getName().startsWith("META-INF/services/"))
            .filter(entry -> !entry.isDirectory())
            .flatMap(ShadedJarIT::lines)
            .filter(line -> !line.isBlank() && !line.startsWith("#"))
            .map(line -> line.strip().replace('.', '/') + ".class")
            .toList();
    assertThat(classes()).containsAll(declared);
  }

  @Test
  void itCarriesItsLicense() {
    assertThat(jar.getEntry("META-INF/LICENSE")).isNotNull();
    assertThat(lines(jar.getJarEntry("META-INF/NOTICE")))
        .anyMatch(line -> line.contains("Verbena"));
  }

  private static List<String> classes() {
    return entries()
        .map(JarEntry::getName)
        .filter(name -> name.endsWith(".class"))
        .map(name -> name.replaceFirst("^META-INF/versions/\\d+/", ""))
        .toList();
  }

  private static Stream<JarEntry> entries() {
    return jar.stream();
  }

  private static Stream<String> lines(JarEntry entry) {
    try (var in = jar.getInputStream(entry)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines();
    } catch (IOException e) {
      throw new UncheckedIOException("reading " + entry + " of " + PATH, e);
    }
  }
}
