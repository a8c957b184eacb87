// SPDX-License-Identifier: Apache-2.0
package dev.verbena.jni;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * Takes {@code libverbena.so} out of the jar and loads it, once a class loader: compared with its
 * checksum, extracted to a folder that only this user may enter, loaded, asked for its version, and
 * unlinked. Whatever goes wrong is told as the reason why it can't be used; nothing is thrown. It
 * needs no other library: whether there are verbs is asked of the provider {@code rdmacore}.
 *
 * <p>A JNI library is found by name only, so the one in the jar is used by all: it lies in {@code
 * META-INF/native/linux-CPU/}, with its SHA-256 in a file beside it. Thread-safe.
 */
public final class NativeLibrary {
  static final String ROOT = "META-INF/native/linux-";
  static final String FILE = "libverbena.so";
  static final String CHECKSUM = FILE + ".sha256";

  /** Changes with any function, field or meaning: {@code VB_VERSION} of layout.h. */
  private static final int VERSION = 2;

  private static final FileAttribute<?> OWNER_MAY_ENTER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final FileAttribute<?> OWNER_MAY_READ =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  /** Loaded when it is first asked for. */
  private static final class Holder {
    static final Optional<String> PROBLEM =
        load(
            System.getProperty("os.name"),
            cpu(System.getProperty("os.arch")),
            name -> NativeLibrary.class.getClassLoader().getResourceAsStream(name));
  }

  private NativeLibrary() {}

  /** Why the library can't be used, in one line; empty if it is loaded. */
  public static Optional<String> problem() {
    return Holder.PROBLEM;
  }

  static Optional<String> load(String system, String cpu, Function<String, InputStream> resources) {
    if (!system.toLowerCase(Locale.ROOT).contains("linux")) {
      return Optional.of("the native library is not for " + system + ", only for Linux");
    }
    Path folder = null;
    try {
      byte[] library = read(cpu, resources);
      folder = Files.createTempDirectory("verbena-", OWNER_MAY_ENTER);
      Path file = Files.createFile(folder.resolve(FILE), OWNER_MAY_READ);
      Files.write(file, library);
      System.load(file.toString());
      return handshake();
    } catch (IOException | UnsatisfiedLinkError e) {
      return Optional.of("the native library can't be loaded: " + e.getMessage());
    } finally {
      delete(folder);
    }
  }

  /** The name by which this CPU's folder goes. */
  static String cpu(String architecture) {
    return switch (architecture) {
      case "amd64", "x86_64" -> "amd64";
      case "aarch64", "arm64" -> "arm64";
      default -> architecture;
    };
  }

  private static byte[] read(String cpu, Function<String, InputStream> resources)
      throws IOException {
    String folder = ROOT + cpu + "/";
    byte[] library = resource(folder + FILE, resources);
    if (library.length == 0) {
      throw new IOException(
          "this build holds none for CPU "
              + cpu
              + "; it is built where a C compiler and the headers of rdma-core are");
    }
    String wanted =
        new String(resource(folder + CHECKSUM, resources), StandardCharsets.US_ASCII).trim();
    String found = sha256(library);
    if (!found.equals(wanted)) {
      throw new IOException(
          "it is damaged, its SHA-256 is " + found + ", expected '" + wanted + "'");
    }
    return library;
  }

  private static byte[] resource(String name, Function<String, InputStream> resources)
      throws IOException {
    try (InputStream in = resources.apply(name)) {
      return in == null ? new byte[0] : in.readAllBytes();
    }
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static Optional<String> handshake() {
    int found = version();
    return found == VERSION
        ? Optional.empty()
        : Optional.of(
            "the native library does not fit this jar: it has version "
                + found
                + ", expected "
                + VERSION);
  }

  /** The library stays mapped without its file. */
  private static void delete(Path folder) {
    if (folder == null) {
      return;
    }
    try {
      Files.deleteIfExists(folder.resolve(FILE));
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      org.slf4j.LoggerFactory.getLogger(NativeLibrary.class)
          .warn("can't remove {}, where the native library was extracted", folder, e);
    }
  }

  private static native int version();

  /** What strerror(3) says of an errno value; only where there is no {@link #problem}. */
  public static native String describe(int error);
}
