// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How much of a file system in memory one of several stores on a host may take: half of what is
 * free now, divided by their number, and at most half of what its control group leaves it.
 *
 * @param bytes the share; 0 if it would be too small to be of use
 * @param finding why it is 0, or less than the file system has room for, and what helps
 */
public record MemoryShare(long bytes, Optional<String> finding) {
  /** Less than this is not worth a pool: 16 MiB. */
  public static final long USEFUL_BYTES = 16 << 20;

  private static final String ENLARGE = "enlarge it (docker --shm-size, mount -o remount,size=)";
  private static final String RAISE_LIMIT =
      "raise the limit (spark.executor.memoryOverhead, docker --memory, Kubernetes limits.memory)";

  /**
   * The share of one of {@code stores} stores in {@code directory}.
   *
   * @param room bytes that the store's control group leaves it beside what its process will need,
   *     empty if it has no limit
   * @throws StoreException IO if the file system can't be asked
   */
  public static MemoryShare of(Path directory, int stores, OptionalLong room) {
    return of(directory, free(directory), stores, room);
  }

  /**
   * What speaks against a pool of {@code size} bytes that a user asked for, empty if nothing does.
   *
   * @param room as above
   * @throws StoreException IO if the file system can't be asked
   */
  public static Optional<String> objection(Path directory, long size, OptionalLong room) {
    return objection(directory, free(directory), size, room);
  }

  static MemoryShare of(Path directory, long free, int stores, OptionalLong room) {
    if (stores < 1) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT, stores + " stores, expected at least 1");
    }
    long share = free / 2 / stores;
    if (share < USEFUL_BYTES) {
      return new MemoryShare(
          0,
          Optional.of(
              "%s has %d bytes free, which leaves %d for each of %d stores, expected at least %d: blocks go to files; %s"
                  .formatted(directory, free, share, stores, USEFUL_BYTES, ENLARGE)));
    }
    if (room.isEmpty() || room.getAsLong() / 2 >= share) {
      return new MemoryShare(share, Optional.empty());
    }
    long allowed = room.getAsLong() / 2;
    boolean useful = allowed >= USEFUL_BYTES;
    return new MemoryShare(
        useful ? allowed : 0,
        Optional.of(
            "the cgroup, to which pools in %s are charged, leaves this process %d bytes, so that its pool gets %s and not %d; %s"
                .formatted(
                    directory,
                    room.getAsLong(),
                    useful ? allowed + " bytes" : "none (blocks go to files)",
                    share,
                    RAISE_LIMIT)));
  }

  static Optional<String> objection(Path directory, long free, long size, OptionalLong room) {
    if (room.isPresent() && size > room.getAsLong()) {
      return Optional.of(
          "the cgroup, to which pools in %s are charged, leaves this process %d bytes, less than the pool of %d that was asked for: a full pool would have it killed; ask for less, or %s"
              .formatted(directory, room.getAsLong(), size, RAISE_LIMIT));
    }
    if (size > free) {
      return Optional.of(
          "%s has %d bytes free, less than the pool of %d that was asked for: what does not fit goes to files; ask for less, or %s"
              .formatted(directory, free, size, ENLARGE));
    }
    return Optional.empty();
  }

  private static long free(Path directory) {
    try {
      return Files.getFileStore(directory).getUsableSpace();
    } catch (IOException e) {
      throw new StoreException(
          StoreException.Code.IO, "free space of " + directory + " is unknown", e);
    }
  }
}
