// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import dev.verbena.store.StoreException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Unlinks what dead owners left: ephemeral pools whose lock is free, and pools whose making was cut
 * short. A kept pool, and any file that is no pool, stays.
 */
public final class PoolSweeper {
  private static final Logger LOG = LoggerFactory.getLogger(PoolSweeper.class);

  private PoolSweeper() {}

  /**
   * Sweeps a directory. What can't be opened by this user is left alone.
   *
   * @return the pools that were unlinked
   * @throws StoreException IO if the directory can't be read
   */
  public static List<Path> sweep(Path directory) {
    List<Path> swept = new ArrayList<>();
    String glob = "*" + PoolOptions.FILE_SUFFIX + PoolLock.SUFFIX;
    try (DirectoryStream<Path> locks = Files.newDirectoryStream(directory, glob)) {
      for (Path lock : locks) {
        String name = String.valueOf(lock.getFileName());
        Path pool =
            lock.resolveSibling(name.substring(0, name.length() - PoolLock.SUFFIX.length()));
        if (sweepOne(pool)) {
          LOG.info("unlinked pool {}, whose owner is gone", pool);
          swept.add(pool);
        }
      }
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new StoreException(
          StoreException.Code.IO, "directory " + directory + " can't be swept", e);
    }
    return swept;
  }

  /** Unlinks one pool if a dead owner left it; false if it stays. */
  static boolean sweepOne(Path pool) throws IOException {
    Optional<PoolLock> lock;
    try {
      lock = PoolLock.tryAcquire(pool);
    } catch (StoreException e) {
      if (e.getCause() instanceof AccessDeniedException) {
        return false;
      }
      throw e;
    }
    if (lock.isEmpty()) {
      return false;
    }
    try {
      return isDisposable(pool) && Files.deleteIfExists(pool);
    } catch (AccessDeniedException e) {
      LOG.debug("pool {} belongs to somebody else", pool, e);
      return false;
    } finally {
      lock.get().close();
    }
  }

  private static boolean isDisposable(Path pool) throws IOException {
    if (!Files.isRegularFile(pool, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    byte[] header = PoolFile.readHeader(pool);
    // Records are never older than the magic: where they stand, it was there and was lost.
    return PoolHeader.isUnfinished(header) ? !PoolFile.hasWords(pool) : isEphemeral(pool, header);
  }

  private static boolean isEphemeral(Path pool, byte[] header) throws IOException {
    try {
      return PoolHeader.decode(pool, header, Files.size(pool)).ephemeral();
    } catch (StoreException e) {
      LOG.warn("left alone: {}", e.getMessage());
      return false;
    }
  }
}
