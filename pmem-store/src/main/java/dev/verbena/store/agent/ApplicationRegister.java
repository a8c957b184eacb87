// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import dev.verbena.store.StoreException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What an agent remembers of its applications, so that after a restart nobody takes over one whose
 * secret he does not know: a file each, with the id and what the secret is checked by. The caller
 * serialises by application.
 */
final class ApplicationRegister {
  private static final String SUFFIX = ".application";
  private static final String HEADING = "verbena application 1";
  private static final int LINES = 4;
  private static final HexFormat HEX = HexFormat.of();

  private final Path directory;

  ApplicationRegister(Path directory) {
    this.directory = directory;
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw failure("can't be made", e);
    }
  }

  /** Those remembered, by id. */
  Map<String, SecretVerifier> load() {
    Map<String, SecretVerifier> found = new TreeMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
      for (Path file : files) {
        List<String> lines = Files.readAllLines(file);
        if (lines.size() != LINES || !lines.get(0).equals(HEADING)) {
          throw new StoreException(
              StoreException.Code.CORRUPT,
              file + " is not what an agent remembers of an application");
        }
        found.put(
            new String(HEX.parseHex(lines.get(1)), StandardCharsets.UTF_8),
            new SecretVerifier(lines.get(2), lines.get(3)));
      }
    } catch (IOException | IllegalArgumentException e) {
      throw failure("can't be read", e);
    }
    return found;
  }

  /** Remembers one, for good once this returns. */
  void put(String application, SecretVerifier verifier) {
    Path file = fileOf(application);
    Path unfinished = file.resolveSibling(file.getFileName() + ".tmp");
    String text =
        String.join(
            "\n",
            HEADING,
            HEX.formatHex(application.getBytes(StandardCharsets.UTF_8)),
            verifier.salt(),
            verifier.expected(),
            "");
    try {
      Files.deleteIfExists(unfinished);
      Files.createFile(
          unfinished,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      try (FileChannel out = FileChannel.open(unfinished, StandardOpenOption.WRITE)) {
        out.write(StandardCharsets.UTF_8.encode(text));
        out.force(true);
      }
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
      try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
        names.force(true);
      }
    } catch (IOException e) {
      throw failure("can't take up application " + application, e);
    }
  }

  /** Forgets one. */
  void remove(String application) {
    try {
      Files.deleteIfExists(fileOf(application));
    } catch (IOException e) {
      throw failure("can't forget application " + application, e);
    }
  }

  /** An id may be longer than a name of a file, and have any character. */
  private Path fileOf(String application) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(application.getBytes(StandardCharsets.UTF_8));
      return directory.resolve(HEX.formatHex(digest) + SUFFIX);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("SHA-256 is part of every Java platform", e);
    }
  }

  private StoreException failure(String what, Exception cause) {
    return new StoreException(
        StoreException.Code.IO, "state directory " + directory + " " + what + ": " + cause, cause);
  }
}
