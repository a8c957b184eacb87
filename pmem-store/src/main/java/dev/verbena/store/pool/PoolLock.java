// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import dev.verbena.store.StoreException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Says that a live process owns a pool: a lock on a file of its own beside the pool, since a POSIX
 * lock goes as soon as the process closes any descriptor of the locked file, and mapping a pool
 * opens and closes it. The lock file is unlinked while the lock is still held; who locks an
 * unlinked file sees that by the file's identity and starts again.
 */
final class PoolLock implements AutoCloseable {
  static final String SUFFIX = ".lock";

  private static final int ATTEMPTS = 100;
  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final Set<OpenOption> CREATE =
      Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  private static final Set<OpenOption> OPEN =
      Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);

  /**
   * Lock files held by this JVM. Opening one of them again, only to see that it is locked, would
   * drop the lock when the second descriptor is closed.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path file;
  private final FileChannel channel;

  private PoolLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  static Path fileFor(Path pool) {
    Path absolute = pool.toAbsolutePath().normalize();
    return absolute.resolveSibling(absolute.getFileName() + SUFFIX);
  }

  /** Takes the lock, or throws POOL_OWNED naming the owner. */
  static PoolLock acquire(Path pool) {
    return tryAcquire(pool)
        .orElseThrow(
            () ->
                new StoreException(
                    StoreException.Code.POOL_OWNED,
                    "pool "
                        + pool
                        + " has an owner that is alive, "
                        + owner(fileFor(pool))
                        + ", which holds "
                        + fileFor(pool)
                        + ": a pool has one owner"));
  }

  /** What the lock file says of who holds it; only ever told, never trusted. */
  private static String owner(Path file) {
    if (HELD.contains(file)) {
      return "this process (" + ProcessHandle.current().pid() + ")";
    }
    try {
      String pid = Files.readString(file, StandardCharsets.US_ASCII);
      return pid.matches("\\d{1,10}") ? "process " + pid : "a process that left no number";
    } catch (IOException e) {
      return "an unknown process (" + e.getMessage() + ")";
    }
  }

  private static PoolLock signed(Path file, FileChannel channel) throws IOException {
    boolean done = false;
    try {
      String pid = String.valueOf(ProcessHandle.current().pid());
      channel.truncate(0);
      channel.write(StandardCharsets.US_ASCII.encode(pid), 0);
      done = true;
      return new PoolLock(file, channel);
    } finally {
      if (!done) {
        channel.close();
      }
    }
  }

  /** Takes the lock if nobody has it. */
  static Optional<PoolLock> tryAcquire(Path pool) {
    Path file = fileFor(pool);
    if (!HELD.add(file)) {
      return Optional.empty();
    }
    boolean taken = false;
    try {
      Optional<PoolLock> lock = lock(file);
      taken = lock.isPresent();
      return lock;
    } catch (IOException e) {
      throw new StoreException(
          StoreException.Code.IO, "pool " + pool + " can't be locked by " + file, e);
    } finally {
      if (!taken) {
        HELD.remove(file);
      }
    }
  }

  private static Optional<PoolLock> lock(Path file) throws IOException {
    for (int i = 0; i < ATTEMPTS; i++) {
      Object before = identity(file);
      if (before == null) {
        create(file);
        continue;
      }
      FileChannel channel;
      try {
        channel = FileChannel.open(file, OPEN);
      } catch (NoSuchFileException e) {
        continue; // Its owner closed in between.
      }
      if (!isLocked(channel)) {
        channel.close();
        return Optional.empty();
      }
      if (before.equals(identity(file))) {
        return Optional.of(signed(file, channel));
      }
      channel.close();
    }
    throw new IOException("the lock file was replaced " + ATTEMPTS + " times");
  }

  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false; // Held by this JVM under another class loader.
    }
  }

  private static void create(Path file) throws IOException {
    try {
      FileChannel.open(file, CREATE, OWNER_ONLY).close();
    } catch (FileAlreadyExistsException e) {
      return; // Somebody else made it, which is as good.
    }
  }

  private static Object identity(Path file) throws IOException {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
          .fileKey();
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** Lets go and removes the lock file. */
  @Override
  public void close() {
    try {
      Files.deleteIfExists(file);
      channel.close();
    } catch (IOException e) {
      throw new StoreException(StoreException.Code.IO, "lock " + file + " can't be released", e);
    } finally {
      HELD.remove(file);
    }
  }
}
