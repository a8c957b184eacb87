// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.integration.launcher.Shell.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LauncherTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  @Test
  void anUnknownCommandNamesTheKnownOnes() throws Exception {
    Outcome outcome = verbena("nonsense");
    assertThat(outcome.exitCode()).isEqualTo(2);
    assertThat(outcome.lines())
        .containsExactly(
            "verbena: no command 'nonsense'; there are demo, tpcds, bench, agent, store, doctor, verify,"
                + " vm-test and help");
  }

  @Test
  void helpNamesEveryCommand() throws Exception {
    Outcome outcome = verbena("help");
    assertThat(outcome.exitCode()).isZero();
    assertThat(String.join("\n", outcome.lines()))
        .contains(
            "  demo ",
            "  tpcds ",
            "  bench ",
            "  doctor ",
            "  verify   the tests",
            "  vm-test ",
            "  help ");
  }

  @Test
  void aMachineThatCantHaveTheGuestsToolsIsTold(@TempDir Path empty) throws Exception {
    Outcome outcome =
        Shell.run(
            empty,
            Map.of("VERBENA_HOME", ROOT.toString()),
            "bash",
            "-c",
            ". '%s/integration/vm/guest.sh'; vm_host_packages=('pkg|/no/such/tool'); uname() { echo x86_64; }; id() { echo 1; }; install_host_packages"
                .formatted(ROOT));
    assertThat(outcome.exitCode()).isEqualTo(77);
    assertThat(outcome.lastLine()).contains("missing on this machine").endsWith(" pkg");
  }

  @Test
  void aMachineThatCantReachAMirrorForTheGuestIsTold(@TempDir Path empty) throws Exception {
    Outcome outcome =
        Shell.run(
            empty,
            Map.of("VERBENA_HOME", ROOT.toString(), "VERBENA_VM_MIRROR", "http://m/debian"),
            "bash",
            "-c",
            ". '%s/integration/vm/guest.sh'; download() { echo \"E: Could not connect to $1\"; return 100; }; build_root ."
                .formatted(ROOT));
    assertThat(outcome.exitCode()).isEqualTo(77);
    assertThat(outcome.lines())
        .anyMatch(line -> line.endsWith("connect to http://m/debian/dists/trixie/InRelease"));
    assertThat(outcome.lastLine()).contains("can't reach a mirror of Debian");
    assertThat(empty).isEmptyDirectory();
  }

  @Test
  void aMachineWithoutAMirrorForTheGuestIsTold() throws Exception {
    Outcome outcome =
        Shell.run(
            ROOT,
            Map.of("VERBENA_HOME", ROOT.toString()),
            "bash",
            "-c",
            ". integration/vm/guest.sh; debian_mirror() { :; }; needs_mirror");
    assertThat(outcome.exitCode()).isEqualTo(77);
    assertThat(outcome.lastLine()).endsWith("name one in VERBENA_VM_MIRROR");
  }

  @Test
  void anUnknownSuiteOfTheGuestNamesTheKnownOnes() throws Exception {
    Outcome outcome = verbena("vm-test", "nonsense");
    assertThat(outcome.exitCode()).isEqualTo(2);
    assertThat(outcome.lastLine())
        .isEqualTo(
            "verbena: no suite 'nonsense'; there are lane soft devdax conformance append staging rpc"
                + " spark hosts power");
  }

  @Test
  void anUnknownLaneNamesTheKnownOnes() throws Exception {
    Outcome outcome = verbena("verify", "nonsense");
    assertThat(outcome.exitCode()).isEqualTo(2);
    assertThat(outcome.lastLine())
        .isEqualTo("verbena: no lane 'nonsense'; there are core spark jdk25 crash soak");
  }

  @Test
  void aMachineWithoutAJdkIsToldWhatToInstall(@TempDir Path empty) throws Exception {
    Outcome outcome =
        Shell.run(
            empty,
            Map.of("JAVA_HOME", ""),
            "bash",
            "-c",
            ". '%s/bin/lib/java.sh'; oldest_java=999; find_java".formatted(ROOT));
    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.lastLine()).startsWith("verbena: no JDK 999 or later found; install one");
  }

  @Test
  void aLaneThatThisMachineCantRunIsSkippedAndCounted(@TempDir Path empty) throws Exception {
    Outcome outcome =
        Shell.run(
            empty,
            Map.of("VERBENA_HOME", empty.toString()),
            "bash",
            "-euo",
            "pipefail",
            "-c",
            ". '%1$s/bin/lib/lanes.sh'; lanes=(\"new|1|.|. '%1$s/bin/lib/java.sh' && newer_java 999\"); verify new"
                .formatted(ROOT));
    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.lines())
        .anyMatch(line -> line.startsWith("verbena: no JDK 999 or later"))
        .anyMatch(line -> line.contains("skipped, this machine can't run it"));
    assertThat(outcome.lastLine()).isEqualTo("0 passed, 0 failed, 1 skipped");
  }

  @Test
  void sourcesThatChangedAfterTheBuildAreBuiltAgain(@TempDir Path home) throws Exception {
    Path source = home.resolve("m/src/main/java/A.java");
    Files.createDirectories(source.getParent());
    Files.writeString(source, "class A {}");
    Files.createDirectories(home.resolve("integration/target/classes"));
    Path dependency = Files.writeString(home.resolve("d.jar"), "jar");
    Files.writeString(home.resolve("integration/target/classpath.txt"), dependency.toString());
    Path wrapper =
        Files.writeString(home.resolve("mvnw"), "#!/bin/sh\necho '[INFO] Building Verbena x'\n");
    assertThat(wrapper.toFile().setExecutable(true)).isTrue();

    assertThat(build(home)).contains("verbena: Verbena x");
    assertThat(build(home)).isEmpty();
    Shell.run(home, Map.of(), "touch", "-d", "+1 minute", source.toString());
    assertThat(build(home)).contains("verbena: Verbena x");
    Files.delete(dependency);
    Shell.run(home, Map.of(), "touch", "-d", "-1 hour", source.toString());
    assertThat(build(home)).contains("verbena: Verbena x");
  }

  @Test
  void aBuildOfAllIsABuildOfEachModule(@TempDir Path home) throws Exception {
    for (String module : List.of("integration", "cli")) {
      Files.createDirectories(home.resolve(module + "/target/classes"));
      Files.writeString(home.resolve(module + "/target/classpath.txt"), home.toString());
    }
    Path wrapper =
        Files.writeString(home.resolve("mvnw"), "#!/bin/sh\necho '[INFO] Building Verbena x'\n");
    assertThat(wrapper.toFile().setExecutable(true)).isTrue();

    assertThat(build(home)).contains("verbena: Verbena x");
    assertThat(buildOutcome(home, "cli").lines()).isEmpty();
  }

  @Test
  void aBuildThatFailsShowsWhyAndEndsTheCommand(@TempDir Path home) throws Exception {
    Path wrapper =
        Files.writeString(
            home.resolve("mvnw"), "#!/bin/sh\necho '[ERROR] no such symbol'; exit 1\n");
    assertThat(wrapper.toFile().setExecutable(true)).isTrue();
    Outcome outcome = buildOutcome(home);
    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.lines()).contains("[ERROR] no such symbol", "verbena: the build failed");
  }

  private static String build(Path home) throws Exception {
    Outcome outcome = buildOutcome(home);
    assertThat(outcome.exitCode()).isZero();
    return String.join("\n", outcome.lines());
  }

  private static Outcome buildOutcome(Path home) throws Exception {
    return buildOutcome(home, "integration");
  }

  private static Outcome buildOutcome(Path home, String module) throws Exception {
    return Shell.run(
        home,
        Map.of("VERBENA_HOME", home.toString()),
        "bash",
        "-euo",
        "pipefail",
        "-c",
        ". '%s/bin/lib/build.sh'; build_if_outdated %s".formatted(ROOT, module));
  }

  private static Outcome verbena(String... arguments) throws Exception {
    String[] command = new String[arguments.length + 1];
    command[0] = ROOT.resolve("bin/verbena").toString();
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    return Shell.run(ROOT, Map.of(), command);
  }
}
