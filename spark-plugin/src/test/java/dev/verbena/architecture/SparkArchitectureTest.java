// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.verbena.architecture.offender.rpc.KnowsSpark;
import org.junit.jupiter.api.Test;

final class SparkArchitectureTest extends HouseRulesContract {
  @Test
  void aCoreClassThatUsesSparkIsFound() {
    JavaClasses offender = new ClassFileImporter().importClasses(KnowsSpark.class);
    assertThatThrownBy(
            () ->
                new HouseRules("dev.verbena.architecture.offender")
                    .theCoreKnowsNoFramework()
                    .check(offender))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("KnowsSpark");
  }
}
