// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.verbena.architecture.offender.channel.KnowsSoft;
import dev.verbena.architecture.offender.memory.LooksUp;
import dev.verbena.architecture.offender.rpc.Chatty;
import dev.verbena.architecture.offender.rpc.Exits;
import dev.verbena.architecture.offender.rpc.OrdersMemory;
import dev.verbena.architecture.offender.rpc.Sleeps;
import dev.verbena.architecture.offender.rpc.Traces;
import dev.verbena.architecture.offender.spark.SeesAVerb;
import dev.verbena.architecture.offender.store.ChecksumOfACopy;
import dev.verbena.architecture.offender.store.ChecksumOfAMapping;
import dev.verbena.architecture.offender.store.MapsAFile;
import dev.verbena.architecture.offender.store.NamesUnsafe;
import dev.verbena.architecture.offender.unheardof.Homeless;
import dev.verbena.architecture.offender.verbs.soft.SoftNic;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("style")
final class HouseRulesTest {
  private static final HouseRules RULES = new HouseRules("dev.verbena.architecture.offender");

  static Stream<Arguments> offences() {
    return Stream.of(
        Arguments.of(RULES.arrowsPointDown(), LooksUp.class),
        Arguments.of(RULES.arrowsPointDown(), Homeless.class),
        Arguments.of(RULES.nobodyKnowsWhichProviderRuns(), KnowsSoft.class),
        Arguments.of(RULES.pluginsNeverSeeAVerb(), SeesAVerb.class),
        Arguments.of(RULES.checksumsRunOnCopies(), ChecksumOfAMapping.class),
        Arguments.of(RULES.librariesLeaveProcessAndTerminalAlone(), Chatty.class),
        Arguments.of(RULES.librariesLeaveProcessAndTerminalAlone(), Exits.class),
        Arguments.of(RULES.librariesLeaveProcessAndTerminalAlone(), Traces.class),
        Arguments.of(RULES.onlyMemoryMapsMemory(), MapsAFile.class),
        Arguments.of(RULES.onlyMemoryMapsMemory(), NamesUnsafe.class),
        Arguments.of(RULES.onlyMemoryOrdersMemory(), OrdersMemory.class),
        Arguments.of(RULES.nothingSleeps(), Sleeps.class));
  }

  @ParameterizedTest
  @MethodSource("offences")
  void anOffenderIsNamed(ArchRule rule, Class<?> offender) {
    JavaClasses classes = new ClassFileImporter().importClasses(offender, SoftNic.class);
    assertThatThrownBy(() -> rule.check(classes))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(offender.getSimpleName());
  }

  @Test
  void everyOrderedAccessOfAnOffenderIsListed() {
    JavaClasses classes = new ClassFileImporter().importClasses(OrdersMemory.class);
    assertThat(RULES.onlyMemoryOrdersMemory().evaluate(classes).getFailureReport().getDetails())
        .hasSize(2);
  }

  @Test
  void aChecksumOnTheHeapIsAllowed() {
    JavaClasses classes = new ClassFileImporter().importClasses(ChecksumOfACopy.class);
    assertThatCode(() -> RULES.checksumsRunOnCopies().check(classes)).doesNotThrowAnyException();
  }

  @Test
  void aProviderMayUseItself() {
    JavaClasses classes = new ClassFileImporter().importClasses(SoftNic.class);
    assertThatCode(() -> RULES.nobodyKnowsWhichProviderRuns().check(classes))
        .doesNotThrowAnyException();
  }

  @Test
  void aModuleWithoutClassesIsFine() {
    JavaClasses none = new ClassFileImporter().importClasses();
    assertThatCode(
            () -> {
              RULES.arrowsPointDown().check(none);
              RULES.pluginsNeverSeeAVerb().check(none);
              RULES.onlyMemoryMapsMemory().check(none);
            })
        .doesNotThrowAnyException();
  }
}
