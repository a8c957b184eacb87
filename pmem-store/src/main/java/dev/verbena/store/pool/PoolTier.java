// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import dev.verbena.store.PoolKind;
import dev.verbena.store.StoreException;
import dev.verbena.store.TierOptions;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The pools of one tier: finds those that were kept, makes more. The caller serialises. */
final class PoolTier {
  private static final Logger LOG = LoggerFactory.getLogger(PoolTier.class);

  /** How long a file system that was full is left in peace. */
  private static final Duration PAUSE = Duration.ofSeconds(10);

  private final TierOptions options;
  private final Path directory;
  private long bytes;
  private StoreException refusal;
  private long refusedAt;

  PoolTier(TierOptions options) {
    this.options = options;
    this.directory = options.prefix().toAbsolutePath().getParent();
  }

  /** Sweeps the directory and opens the pools of this tier that were kept, by number. */
  SortedMap<Integer, Pool> openKept() {
    if (isDevice()) {
      return openDevice();
    }
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new StoreException(
          StoreException.Code.IO, "directory " + directory + " can't be made", e);
    }
    sweep();
    SortedMap<Integer, Pool> pools = new TreeMap<>();
    boolean done = false;
    try {
      for (Map.Entry<Integer, Path> found : find().entrySet()) {
        if (sweepUnlocked(found.getValue())) {
          continue;
        }
        Pool pool = Pool.open(poolOptions(found.getValue(), options.fileSize()));
        pools.put(found.getKey(), pool);
        bytes += pool.memory().size();
      }
      done = true;
      return pools;
    } finally {
      if (!done) {
        pools.values().forEach(Pool::close);
      }
    }
  }

  private SortedMap<Integer, Pool> openDevice() {
    SortedMap<Integer, Pool> pools = new TreeMap<>();
    Pool.openMade(poolOptions(options.prefix(), options.fileSize()))
        .ifPresent(
            pool -> {
              pools.put(pool.number(), pool);
              bytes += pool.memory().size();
            });
    return pools;
  }

  private boolean isDevice() {
    return options.kind() == PoolKind.DEVDAX;
  }

  /** Unlinks what dead owners left in the directory. */
  void sweep() {
    if (!isDevice()) {
      PoolSweeper.sweep(directory);
    }
  }

  /** A crash of the machine may take the lock's name and leave the pool's. */
  private static boolean sweepUnlocked(Path pool) {
    try {
      boolean swept = PoolSweeper.sweepOne(pool);
      if (swept) {
        LOG.info("unlinked pool {}, which was never finished or ended with its owner", pool);
      }
      return swept;
    } catch (IOException e) {
      throw new StoreException(StoreException.Code.IO, "pool " + pool + " can't be read", e);
    }
  }

  private SortedMap<Integer, Path> find() {
    String name = String.valueOf(options.prefix().getFileName());
    Pattern numbered =
        Pattern.compile(
            Pattern.quote(name) + "-(\\d{1,5})" + Pattern.quote(PoolOptions.FILE_SUFFIX));
    SortedMap<Integer, Path> found = new TreeMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Matcher matcher = numbered.matcher(String.valueOf(file.getFileName()));
        if (matcher.matches()) {
          found.put(Integer.parseInt(matcher.group(1)), file);
        }
      }
    } catch (IOException e) {
      throw new StoreException(
          StoreException.Code.IO, "directory " + directory + " can't be listed", e);
    }
    return found;
  }

  /**
   * Makes one more pool with room for a record of {@code payloadBytes}, if the limit allows it; on
   * a device there is one only. A file system without room is said in the log and counts as a limit
   * for a while.
   */
  Optional<Pool> grow(int number, long payloadBytes) {
    long needed = PoolLayout.sizeFor(RecordLayout.chunksFor(payloadBytes));
    long left = options.maxBytes() - bytes;
    long wanted = isDevice() ? options.fileSize() : Math.max(options.fileSize(), needed);
    long size = isDevice() && bytes > 0 ? 0 : Math.min(wanted, left);
    if (size < needed || size < PoolOptions.MIN_SIZE || number >= Location.MAX_POOLS) {
      return Optional.empty();
    }
    if (refusal != null && System.nanoTime() - refusedAt < PAUSE.toNanos()) {
      return Optional.empty();
    }
    try {
      Pool pool = Pool.open(poolOptions(path(number), size), number);
      bytes += size;
      refusal = null;
      return Optional.of(pool);
    } catch (StoreException e) {
      if (e.code() != StoreException.Code.IO) {
        throw e;
      }
      if (refusal == null) {
        LOG.warn("no more pools for now in {}: {}", this, e.getMessage());
      }
      refusal = e;
      refusedAt = System.nanoTime();
      return Optional.empty();
    }
  }

  private Path path(int number) {
    return isDevice()
        ? options.prefix()
        : Path.of(options.prefix().toAbsolutePath() + "-" + number + PoolOptions.FILE_SUFFIX);
  }

  private PoolOptions poolOptions(Path path, long size) {
    return new PoolOptions(options.kind(), path, size, options.domain(), options.ephemeral());
  }

  @Override
  public String toString() {
    return options.kind()
        + " "
        + options.prefix()
        + " ("
        + bytes
        + " of at most "
        + options.maxBytes()
        + " bytes made"
        + (options.limit().isEmpty() ? "" : ", bounded by " + options.limit())
        + (refusal == null ? ")" : ", then " + refusal.getMessage() + ")");
  }
}
