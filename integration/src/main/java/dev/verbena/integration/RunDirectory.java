// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The scratch folders of one run: one on disk (logs, Spark's work folders) and one in memory
 * (Spark's local folders). Both are removed on close; the disk one is kept on request, for its
 * logs. Folders that a killed run left behind are removed by the next run: a live owner holds a
 * lock.
 *
 * <p>Not thread-safe.
 */
public final class RunDirectory implements AutoCloseable {
  private static final Path MEMORY = Path.of("/dev/shm");
  private static final String MEMORY_PREFIX = "verbena-run-";
  private static final String LOCK = "run.lock";
  private static final Duration CHILDREN_END = Duration.ofSeconds(30);

  private final Path disk;
  private final Path memory;
  private final List<FileChannel> locks;
  private final Thread atExit = new Thread(this::removeMemoryAtExit);
  private boolean kept;

  private RunDirectory(Path disk, Path memory, List<FileChannel> locks) {
    this.disk = disk;
    this.memory = memory;
    this.locks = locks;
  }

  /**
   * Makes the folders of a run.
   *
   * @param parent where the disk folder goes
   * @param name what the folder's name begins with
   */
  public static RunDirectory create(Path parent, String name) {
    try {
      Files.createDirectories(parent);
      removeAbandoned(MEMORY, MEMORY_PREFIX + "*");
      Path disk = Files.createTempDirectory(parent, name + "-");
      Path memory = Files.createTempDirectory(MEMORY, ownPrefix());
      RunDirectory run = new RunDirectory(disk, memory, List.of(lock(disk), lock(memory)));
      Runtime.getRuntime().addShutdownHook(run.atExit);
      return run;
    } catch (IOException e) {
      throw new IntegrationException("cannot make the run's folder in " + parent, e);
    }
  }

  /** The folder on disk. */
  public Path disk() {
    return disk;
  }

  /** The folder on the memory file system. */
  public Path memory() {
    return memory;
  }

  /** Leaves the disk folder in place on close. */
  public void keep() {
    kept = true;
  }

  public boolean isKept() {
    return kept;
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
      for (FileChannel lock : locks) {
        lock.close();
      }
      deleteTree(memory);
      if (!kept) {
        deleteTree(disk);
      }
    } catch (IllegalStateException e) {
      // This JVM is shutting down: the hook does what is to be done.
      return;
    } catch (IOException e) {
      throw new IntegrationException("cannot remove the run's folders " + disk + ", " + memory, e);
    }
  }

  /**
   * An interrupted run leaves its logs, but no memory taken; its processes end at the same time.
   */
  private void removeMemoryAtExit() {
    Await.until(
        CHILDREN_END,
        "the end of all child processes",
        () -> ProcessHandle.current().descendants().noneMatch(ProcessHandle::isAlive));
    try {
      deleteTree(memory);
    } catch (IOException e) {
      throw new IntegrationException("cannot remove " + memory, e);
    }
  }

  /** Removes a folder and all in it; what is gone already is no error. */
  public static void deleteTree(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static FileChannel lock(Path folder) throws IOException {
    FileChannel channel =
        FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (channel.tryLock() == null) {
      channel.close();
      throw new IOException(folder + " is locked by another process");
    }
    return channel;
  }

  private static String ownPrefix() {
    return MEMORY_PREFIX + ProcessHandle.current().pid() + "-";
  }

  private static void removeAbandoned(Path parent, String glob) throws IOException {
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, glob)) {
      for (Path folder : folders) {
        // To open and close a lock file of one's own would give up the lock (POSIX).
        boolean own = folder.getFileName().toString().startsWith(ownPrefix());
        if (!own && isAbandoned(folder)) {
          deleteTree(folder);
        }
      }
    }
  }

  /** A folder without a lock file is being made by a live owner, and is left alone. */
  private static boolean isAbandoned(Path folder) throws IOException {
    Path file = folder.resolve(LOCK);
    if (!Files.isWritable(file)) {
      return false;
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      return lock != null;
    }
  }
}
