// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import dev.verbena.cli.Bytes;
import dev.verbena.store.CgroupMemory;
import dev.verbena.store.MemoryShare;
import dev.verbena.store.StoreException;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The file system in memory that holds segments and pools, and what it is charged to. */
final class MemoryProbe implements Probe {
  private static final String AREA = "memory";
  private static final String ANOTHER =
      "mount a tmpfs there, or name another directory with --directory";
  private static final String ENLARGE =
      "enlarge it (docker --shm-size, Kubernetes emptyDir of medium Memory, mount -o"
          + " remount,size=)";

  private final Kernel kernel;
  private final Path directory;
  private final int stores;
  private final Bytes wanted;

  /**
   * Creates a probe.
   *
   * @param stores stores on this host, executors say, that share it
   * @param wanted what each of them is to have; null for its share
   */
  MemoryProbe(Kernel kernel, Path directory, int stores, Bytes wanted) {
    this.kernel = kernel;
    this.directory = directory;
    this.stores = stores;
    this.wanted = wanted;
  }

  @Override
  public List<Finding> look() {
    String subject = directory.toString();
    List<Finding> findings = new ArrayList<>();
    try {
      if (!Files.isDirectory(directory) || !Files.isWritable(directory)) {
        return List.of(
            Finding.problem(AREA, subject, "no directory that this user may write to", ANOTHER));
      }
      FileStore store = Files.getFileStore(directory);
      long free = store.getUsableSpace();
      findings.add(type(subject, store));
      findings.add(space(subject, free, store.getTotalSpace()));
      OptionalLong left = new CgroupMemory(kernel.root()).left();
      if (left.isPresent()) {
        findings.add(charge(left.getAsLong(), free));
      }
    } catch (IOException | StoreException e) {
      findings.add(
          Finding.problem(AREA, subject, "can't be asked: " + e.getMessage(), "check the mount"));
    }
    return findings;
  }

  private static Finding type(String subject, FileStore store) {
    return store.type().equals("tmpfs")
        ? Finding.ok(AREA, subject + " type", "tmpfs")
        : Finding.warning(
            AREA, subject + " type", store.type() + ", not a file system in memory", ANOTHER);
  }

  private Finding space(String subject, long free, long total) {
    String value = "%s free of %s".formatted(new Bytes(free), new Bytes(total));
    if (wanted != null && wanted.count() > free / stores) {
      return Finding.problem(
          AREA,
          subject,
          value + ", asked for: " + wanted + " for each of " + stores + " stores",
          ENLARGE + ", or ask for less");
    }
    MemoryShare share = MemoryShare.of(directory, stores, OptionalLong.empty());
    return share
        .finding()
        .map(
            why ->
                Finding.warning(
                    AREA,
                    subject,
                    value,
                    "too small for a pool, so that blocks go to files: " + ENLARGE))
        .orElse(
            Finding.ok(
                AREA,
                subject,
                value + ", which gives each store a pool of " + new Bytes(share.bytes())));
  }

  private Finding charge(long left, long free) {
    String text = new Bytes(left) + " left of the cgroup's memory, to which pools are charged";
    return left >= free / 2
        ? Finding.ok(AREA, "cgroup", text)
        : Finding.warning(
            AREA,
            "cgroup",
            text + "; pools may take " + new Bytes(free / 2),
            "raise memory.max (docker --memory, Kubernetes limits.memory), or bound the pools"
                + " (spark.shuffle.verbena.pool.size)");
  }
}
