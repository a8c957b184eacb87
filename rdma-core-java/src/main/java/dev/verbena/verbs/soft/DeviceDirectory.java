// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.memory.MemoryMapper;
import dev.verbena.memory.Uninterrupted;
import dev.verbena.verbs.VerbsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of one software NIC in a file system in memory: its area, nonce, wake socket,
 * segments and queue pairs. Held by a lock on the file "lock" as long as its process lives; what
 * dead owners left is swept by every device that opens or closes.
 */
final class DeviceDirectory implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceDirectory.class);
  private static final String PREFIX = "verbena-nic-";
  private static final FileAttribute<?> PRIVATE_DIRECTORY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final FileAttribute<?> PRIVATE_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  static final int NONCE_SIZE = 32;

  /** Tells the directories of this process from others; a pid would not, across containers. */
  private static final String OWN_PREFIX = PREFIX + randomHex(new SecureRandom()) + "-";

  private final Path path;
  private final byte[] nonce;
  private final FileChannel lockChannel;
  private final FileLock lock;
  private final AtomicLong segmentNames = new AtomicLong();

  private DeviceDirectory(Path path, byte[] nonce, FileChannel lockChannel, FileLock lock) {
    this.path = path;
    this.nonce = nonce;
    this.lockChannel = lockChannel;
    this.lock = lock;
  }

  /** Creates a directory under {@code parent}, after sweeping what dead devices left there. */
  static DeviceDirectory create(Path parent, SecureRandom random) throws IOException {
    sweep(parent);
    byte[] nonce = new byte[NONCE_SIZE];
    random.nextBytes(nonce);
    String name = OWN_PREFIX + randomHex(random);
    Path unfinished = parent.resolve("." + name);
    Files.createDirectory(unfinished, PRIVATE_DIRECTORY);
    Files.write(
        Files.createFile(unfinished.resolve("nonce"), PRIVATE_FILE),
        nonce,
        StandardOpenOption.WRITE);
    FileChannel channel =
        FileChannel.open(
            Files.createFile(unfinished.resolve("lock"), PRIVATE_FILE), StandardOpenOption.WRITE);
    FileLock lock = channel.tryLock();
    if (lock == null) {
      channel.close();
      throw new IOException("can't lock " + unfinished.resolve("lock"));
    }
    Path path = parent.resolve(name);
    Files.move(unfinished, path);
    return new DeviceDirectory(path, nonce, channel, lock);
  }

  private static String randomHex(SecureRandom random) {
    byte[] bytes = new byte[8];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  Path path() {
    return path;
  }

  Path areaFile() {
    return areaFile(path);
  }

  static Path areaFile(Path directory) {
    return directory.resolve("device");
  }

  static Path wakeSocket(Path directory) {
    return directory.resolve("wake");
  }

  static Path queuePairFile(Path directory, int number) {
    return directory.resolve("qp-" + number);
  }

  /** Creates a segment of zeros. */
  MappedMemory createSegment(long bytes) {
    Path file = path.resolve("segment-" + segmentNames.incrementAndGet());
    try {
      return MemoryMapper.createTemporary(file, bytes);
    } catch (IOException e) {
      throw new VerbsException(
          VerbsException.Code.NO_RESOURCES,
          "no room for " + bytes + " bytes in " + path.getParent(),
          e);
    }
  }

  /** Removes a file of this directory, if it is there. */
  void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException("can't delete " + file, e);
    }
  }

  /** Whether a peer's proof is this device's nonce, which only this user can read. */
  boolean isProvenBy(byte[] proof) {
    return MessageDigest.isEqual(nonce, proof);
  }

  /**
   * Reads the nonce of a peer's device, to prove to it that both share host and user; empty if they
   * do not.
   */
  static Optional<byte[]> proveSharedHost(Path peerDirectory) {
    if (!peerDirectory.isAbsolute()
        || !peerDirectory.equals(peerDirectory.normalize())
        || peerDirectory.getFileName() == null
        || !peerDirectory.getFileName().toString().startsWith(PREFIX)) {
      return Optional.empty();
    }
    try {
      return Uninterrupted.call(() -> readNonce(peerDirectory.resolve("nonce")));
    } catch (IOException e) {
      LOG.debug("no shared host with the device at {}", peerDirectory, e);
      return Optional.empty();
    }
  }

  private static Optional<byte[]> readNonce(Path file) throws IOException {
    Set<OpenOption> options = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    try (FileChannel channel = FileChannel.open(file, options)) {
      ByteBuffer proof = ByteBuffer.allocate(NONCE_SIZE + 1);
      int count;
      do {
        count = channel.read(proof);
      } while (count >= 0 && proof.hasRemaining());
      return proof.position() == NONCE_SIZE
          ? Optional.of(Arrays.copyOf(proof.array(), NONCE_SIZE))
          : Optional.empty();
    }
  }

  /** Removes the directories whose owners are dead. */
  private static void sweep(Path parent) throws IOException {
    try (DirectoryStream<Path> found = Files.newDirectoryStream(parent, PREFIX + "*")) {
      for (Path directory : found) {
        // Closing any descriptor of a file drops this process's POSIX locks on it: never touch
        // ours.
        if (!directory.getFileName().toString().startsWith(OWN_PREFIX)) {
          sweepOne(directory);
        }
      }
    }
  }

  private static void sweepOne(Path directory) {
    Path lockFile = directory.resolve("lock");
    try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.WRITE)) {
      FileLock lock = channel.tryLock();
      if (lock != null) {
        LOG.info("removing {}, whose owner is dead", directory);
        deleteTree(directory);
      }
    } catch (IOException | OverlappingFileLockException e) {
      LOG.debug("leaving {} alone", directory, e);
    }
  }

  private static void deleteTree(Path directory) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    }
    Files.deleteIfExists(directory);
  }

  @Override
  public void close() {
    try {
      deleteTree(path);
      lock.release();
      lockChannel.close();
      sweep(path.getParent());
    } catch (IOException e) {
      throw new UncheckedIOException("can't remove " + path, e);
    }
  }
}
