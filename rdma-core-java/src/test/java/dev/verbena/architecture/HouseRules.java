// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.CompositeArchRule;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.zip.Checksum;

/**
 * The rules, for the packages under one root. Packages that do not exist yet satisfy them.
 *
 * <p>Reflection hides a dependency, so a rule about a class that is reached by its name looks for
 * the name in the class file.
 */
final class HouseRules {
  /** From the ground up: a package may use those before it, and its neighbours in one set. */
  private static final List<Set<String>> LAYERS =
      List.of(
          Set.of("time", "jni", "memory"),
          Set.of("verbs"),
          Set.of("channel", "chain"),
          Set.of("rpc"),
          Set.of("store"),
          Set.of("spark", "hadoop", "cli", "disni"),
          Set.of("integration"));

  private static final Set<String> CORE =
      Set.of("time", "jni", "memory", "verbs", "channel", "chain", "rpc");
  private static final Set<String> PLUGINS = Set.of("spark", "hadoop");
  private static final Set<String> PROGRAMS = Set.of("cli", "integration");
  private static final Set<String> PROVIDERS = Set.of("soft", "rdmacore", "virtual");

  /**
   * Who may order memory other than through {@code memory}: full names, each with its reason beside
   * it.
   */
  private static final Set<String> MAY_ORDER_MEMORY = Set.of();

  /** Not a plain compareAndSet or getAndAdd: on a field of the heap, it leaves nothing to order. */
  private static final Predicate<String> ORDERS =
      Pattern.compile(".*(Fence|Acquire|Release|Volatile|Opaque|Plain)").asMatchPredicate();

  private final String root;

  HouseRules(String root) {
    this.root = root;
  }

  /** Every package has a floor, uses only lower ones, and no two use each other. */
  ArchRule arrowsPointDown() {
    List<String> known = new ArrayList<>();
    CompositeArchRule rule = CompositeArchRule.of(noCycles());
    for (int i = LAYERS.size() - 1; i >= 0; i--) {
      String[] above = known.toArray(String[]::new);
      for (String name : LAYERS.get(i)) {
        known.add(tree(name));
      }
      String[] here = LAYERS.get(i).stream().map(this::tree).toArray(String[]::new);
      if (above.length > 0) {
        rule =
            rule.and(
                noClasses()
                    .that()
                    .resideInAnyPackage(here)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(above)
                    .allowEmptyShould(true));
      }
    }
    return rule.and(
        classes()
            .should()
            .resideInAnyPackage(known.toArray(String[]::new))
            .as("each package has its floor in HouseRules.LAYERS")
            .allowEmptyShould(true));
  }

  private ArchRule noCycles() {
    return slices().matching(root + ".(*)..").should().beFreeOfCycles().allowEmptyShould(true);
  }

  /** Providers are found by ServiceLoader; nobody names one, not even another one. */
  ArchRule nobodyKnowsWhichProviderRuns() {
    CompositeArchRule rule = null;
    for (String provider : PROVIDERS) {
      ArchRule one =
          noClasses()
              .that()
              .resideOutsideOfPackage(tree("verbs." + provider))
              .should()
              .dependOnClassesThat()
              .resideInAPackage(tree("verbs." + provider))
              .allowEmptyShould(true);
      rule = rule == null ? CompositeArchRule.of(one) : rule.and(one);
    }
    return rule;
  }

  /** The core and the store run without any framework on the class path. */
  ArchRule theCoreKnowsNoFramework() {
    return noClasses()
        .that()
        .resideInAnyPackage(trees(CORE))
        .or()
        .resideInAPackage(tree("store"))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.apache.spark..", "org.apache.hadoop..", "io.netty..", "scala..")
        .allowEmptyShould(true);
  }

  /** A plug-in speaks to the store and to RPC. */
  ArchRule pluginsNeverSeeAVerb() {
    return noClasses()
        .that()
        .resideInAnyPackage(trees(PLUGINS))
        .should()
        .dependOnClassesThat()
        .resideInAPackage(tree("verbs"))
        .allowEmptyShould(true);
  }

  /**
   * The intrinsic reads a truncated mapping outside the JVM's guard, and the JVM dies of SIGBUS.
   */
  ArchRule checksumsRunOnCopies() {
    return noClasses()
        .should()
        .accessTargetWhere(
            target("a checksum over a ByteBuffer", Checksum.class, Set.of("update")::contains)
                .and(takes(ByteBuffer.class)))
        .allowEmptyShould(true);
  }

  /** A library neither ends its host nor writes to the host's terminal. */
  ArchRule librariesLeaveProcessAndTerminalAlone() {
    return noClasses()
        .that(not(resideInAnyPackage(trees(PROGRAMS))))
        .should()
        .accessTargetWhere(
            target("System.exit, out or err", System.class, Set.of("exit", "out", "err")::contains)
                .or(target("Runtime.exit or halt", Runtime.class, Set.of("exit", "halt")::contains))
                .or(
                    target(
                            "Throwable.printStackTrace",
                            Throwable.class,
                            Set.of("printStackTrace")::contains)
                        .and(takes())))
        .allowEmptyShould(true);
  }

  /** Mapping and raw copies live where their lifetime is managed. */
  ArchRule onlyMemoryMapsMemory() {
    return noClasses()
        .that(not(resideInAPackage(tree("memory"))))
        .should()
        .accessTargetWhere(target("FileChannel.map", FileChannel.class, Set.of("map")::contains))
        .orShould(ClassFileMentions.anyOf("sun.misc.Unsafe", "jdk.internal."))
        .allowEmptyShould(true);
  }

  /** The sites that order memory can be counted, so that a test can remove each. */
  ArchRule onlyMemoryOrdersMemory() {
    return noClasses()
        .that(not(resideInAPackage(tree("memory"))))
        .and(not(describe("are named exceptions", c -> MAY_ORDER_MEMORY.contains(c.getName()))))
        .should()
        .accessTargetWhere(target("an ordered access or a fence", VarHandle.class, ORDERS))
        .allowEmptyShould(true);
  }

  /** Tests await conditions with a deadline. */
  ArchRule nothingSleeps() {
    return noClasses()
        .should()
        .accessTargetWhere(target("Thread.sleep", Thread.class, Set.of("sleep")::contains))
        .allowEmptyShould(true);
  }

  private String tree(String name) {
    return root + "." + name + "..";
  }

  private String[] trees(Set<String> names) {
    return names.stream().map(this::tree).toArray(String[]::new);
  }

  private static DescribedPredicate<JavaAccess<?>> target(
      String what, Class<?> owner, Predicate<String> name) {
    return describe(
        what,
        access ->
            name.test(access.getTarget().getName())
                && access.getTargetOwner().isAssignableTo(owner));
  }

  private static DescribedPredicate<JavaAccess<?>> takes(Class<?>... parameters) {
    List<String> names = Arrays.stream(parameters).map(Class::getName).toList();
    return describe(
        "taking " + names,
        access ->
            access.getTarget() instanceof CodeUnitAccessTarget code
                && code.getRawParameterTypes().stream()
                    .map(HasName::getName)
                    .toList()
                    .equals(names));
  }
}
