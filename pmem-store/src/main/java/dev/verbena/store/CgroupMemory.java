// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * The memory that this process's control group still allows: cgroups(7), versions 1 and 2. Files in
 * memory, pools in /dev/shm say, are charged to the group of the process that writes them first,
 * and a group above its limit has a process killed.
 *
 * @param root where /proc and /sys are mounted: "/" but in tests
 */
public record CgroupMemory(Path root) {
  private static final long UNLIMITED = Long.MAX_VALUE;

  /** Version 1 tells no limit as the largest multiple of a page. */
  private static final long PRACTICALLY_UNLIMITED = 1L << 62;

  private static final Version VERSION_2 =
      new Version("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file ");
  private static final Version VERSION_1 =
      new Version(
          "sys/fs/cgroup/memory",
          "memory.limit_in_bytes",
          "memory.usage_in_bytes",
          "total_inactive_file ");

  /** That of the running process. */
  public static CgroupMemory ofThisProcess() {
    return new CgroupMemory(Path.of("/"));
  }

  /**
   * Bytes left below the tightest limit of the group and those above it; what the kernel can drop
   * at once (clean file cache) counts as left. Empty if there is no limit.
   *
   * @throws UncheckedIOException if a file can't be read
   */
  public OptionalLong left() {
    long left = UNLIMITED;
    for (String line : lines(root.resolve("proc/self/cgroup"))) {
      String[] fields = line.split(":", 3);
      if (fields.length == 3 && fields[0].equals("0") && fields[1].isEmpty()) {
        left = Math.min(left, left(VERSION_2, fields[2]));
      } else if (fields.length == 3 && List.of(fields[1].split(",")).contains("memory")) {
        left = Math.min(left, left(VERSION_1, fields[2]));
      }
    }
    return left == UNLIMITED ? OptionalLong.empty() : OptionalLong.of(left);
  }

  private long left(Version version, String group) {
    Path mount = root.resolve(version.mount);
    long left = UNLIMITED;
    // A container sees its own group as the mount, whatever the path: then only that exists.
    Path at = mount.resolve(group.replaceFirst("^/+", "")).normalize();
    for (; at != null && at.startsWith(mount); at = at.getParent()) {
      long limit = number(at.resolve(version.limit));
      if (limit < PRACTICALLY_UNLIMITED) {
        long used = number(at.resolve(version.usage)) - droppable(at, version);
        left = Math.min(left, Math.max(0, limit - used));
      }
    }
    return left;
  }

  private static long droppable(Path group, Version version) {
    return lines(group.resolve("memory.stat")).stream()
        .filter(line -> line.startsWith(version.droppable))
        .mapToLong(line -> Long.parseLong(line.substring(version.droppable.length()).trim()))
        .findFirst()
        .orElse(0);
  }

  private static long number(Path file) {
    List<String> lines = lines(file);
    return lines.isEmpty() || lines.get(0).equals("max")
        ? UNLIMITED
        : Long.parseLong(lines.get(0).trim());
  }

  private static List<String> lines(Path file) {
    if (!Files.isReadable(file)) {
      return List.of();
    }
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }

  private record Version(String mount, String limit, String usage, String droppable) {}
}
