// SPDX-License-Identifier: Apache-2.0
package dev.verbena.jni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Loading the native library, and what is said when it can't be. */
final class NativeLibraryTest {
  private static final byte[] NO_LIBRARY = "not an ELF file".getBytes(StandardCharsets.US_ASCII);

  @Test
  void thereIsNoneForOtherSystems() {
    assertThat(NativeLibrary.load("Windows 11", "amd64", name -> null).orElseThrow())
        .contains("Windows 11", "only for Linux");
  }

  @Test
  void aBuildWithoutTheLibrarySaysSo() {
    assertThat(NativeLibrary.load("Linux", "amd64", name -> null).orElseThrow())
        .contains("holds none for CPU amd64", "C compiler and the headers of rdma-core");
  }

  @Test
  void aLibraryOfAnotherCpuIsNotUsed() {
    Function<String, InputStream> onlyArm =
        name -> name.contains("linux-arm64") ? new ByteArrayInputStream(NO_LIBRARY) : null;
    assertThat(NativeLibrary.load("Linux", "riscv64", onlyArm).orElseThrow())
        .contains("CPU riscv64");
  }

  @Test
  void cpusGoByOneName() {
    assertThat(NativeLibrary.cpu("x86_64")).isEqualTo("amd64");
    assertThat(NativeLibrary.cpu("aarch64")).isEqualTo("arm64");
    assertThat(NativeLibrary.cpu("riscv64")).isEqualTo("riscv64");
  }

  @Test
  void aDamagedLibraryIsNotLoaded() {
    assertThat(NativeLibrary.load("Linux", "amd64", jar("0".repeat(64))).orElseThrow())
        .contains("it is damaged", sha256());
  }

  @Test
  void whatTheLinkerSaysIsTold() {
    assertThat(NativeLibrary.load("Linux", "amd64", jar(sha256())).orElseThrow())
        .contains("can't be loaded", NativeLibrary.FILE);
  }

  @Test
  void nothingIsLeftInTheTemporaryFolder() throws Exception {
    Set<Path> before = extracted();
    NativeLibrary.load("Linux", "amd64", jar(sha256()));
    // Those of other JVMs come and go.
    Await.until("all that were extracted are gone", () -> before.containsAll(extracted()));
  }

  private static Set<Path> extracted() {
    Path folder = Path.of(System.getProperty("java.io.tmpdir"));
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> Files.exists(file.resolve(NativeLibrary.FILE)))
          .collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException("listing " + folder, e);
    }
  }

  private static Function<String, InputStream> jar(String checksum) {
    return name ->
        new ByteArrayInputStream(
            name.endsWith(NativeLibrary.CHECKSUM)
                ? checksum.getBytes(StandardCharsets.US_ASCII)
                : NO_LIBRARY);
  }

  private static String sha256() {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(NO_LIBRARY));
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
