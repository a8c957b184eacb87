// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * How much of a file system in memory one of several stores on a host may take: half of what is
 * free now, divided by their number.
 *
 * @param bytes the share; 0 if it would be too small to be of use
 * @param tooSmall why it is 0, and what helps
 */
public record MemoryShare(long bytes, Optional<String> tooSmall) {
  /** Less than this is not worth a pool: 16 MiB. */
  public static final long USEFUL_BYTES = 16 << 20;

  /**
   * The share of one of {@code stores} stores in {@code directory}.
   *
   * @throws StoreException IO if the file system can't be asked
   */
  public static MemoryShare of(Path directory, int stores) {
    try {
      return of(directory, Files.getFileStore(directory).getUsableSpace(), stores);
    } catch (IOException e) {
      throw new StoreException(
          StoreException.Code.IO, "free space of " + directory + " is unknown", e);
    }
  }

  static MemoryShare of(Path directory, long free, int stores) {
    if (stores < 1) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT, stores + " stores, expected at least 1");
    }
    long share = free / 2 / stores;
    if (share >= USEFUL_BYTES) {
      return new MemoryShare(share, Optional.empty());
    }
    return new MemoryShare(
        0,
        Optional.of(
            directory
                + " has "
                + free
                + " bytes free, which leaves "
                + share
                + " for each of "
                + stores
                + " stores, expected at least "
                + USEFUL_BYTES
                + ": blocks go to files; enlarge it (docker --shm-size, mount -o remount,size=)"));
  }
}
