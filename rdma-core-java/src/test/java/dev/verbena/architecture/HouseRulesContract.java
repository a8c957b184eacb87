// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Checks the rules on the module whose tests run; subclass it once a module. */
@Tag("style")
public abstract class HouseRulesContract {
  private static final HouseRules RULES = new HouseRules("dev.verbena");

  private static JavaClasses production;
  private static JavaClasses tests;

  @BeforeAll
  static void readClassFiles() {
    production = new ClassFileImporter().importPath(Path.of("target", "classes"));
    tests =
        new ClassFileImporter()
            .withImportOption(location -> !location.contains("/architecture/offender/"))
            .importPath(Path.of("target", "test-classes"));
  }

  @Test
  void arrowsPointDown() {
    RULES.arrowsPointDown().check(production);
  }

  @Test
  void nobodyKnowsWhichProviderRuns() {
    RULES.nobodyKnowsWhichProviderRuns().check(production);
  }

  @Test
  void theCoreKnowsNoFramework() {
    RULES.theCoreKnowsNoFramework().check(production);
  }

  @Test
  void pluginsNeverSeeAVerb() {
    RULES.pluginsNeverSeeAVerb().check(production);
  }

  @Test
  void checksumsRunOnCopies() {
    RULES.checksumsRunOnCopies().check(production);
  }

  @Test
  void librariesLeaveProcessAndTerminalAlone() {
    RULES.librariesLeaveProcessAndTerminalAlone().check(production);
  }

  @Test
  void onlyMemoryMapsMemory() {
    RULES.onlyMemoryMapsMemory().check(production);
  }

  @Test
  void onlyMemoryOrdersMemory() {
    RULES.onlyMemoryOrdersMemory().check(production);
  }

  @Test
  void testsWaitForConditionsNotForTime() {
    RULES.nothingSleeps().check(tests);
  }
}
