// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import dev.verbena.cli.Bytes;
import java.util.List;
import java.util.OptionalLong;

/** Limits of the process: getrlimit(2). */
final class LimitsProbe implements Probe {
  private static final String AREA = "limits";
  private static final long FILES_NEEDED = 4096;

  private final Kernel kernel;
  private final Bytes memory;

  /**
   * Creates a probe.
   *
   * @param memory what is registered with a card, if there is one
   */
  LimitsProbe(Kernel kernel, Bytes memory) {
    this.kernel = kernel;
    this.memory = memory;
  }

  @Override
  public List<Finding> look() {
    return List.of(locked(), files());
  }

  private Finding locked() {
    OptionalLong limit = kernel.limit("Max locked memory");
    if (limit.isEmpty()) {
      return unknown("memlock");
    }
    boolean cards = !kernel.names("sys/class/infiniband").isEmpty();
    String current = shown(limit.getAsLong());
    if (!cards) {
      return Finding.ok(
          AREA,
          "memlock",
          current + "; needed: 0 by the software NIC, " + memory + " and more by a card");
    }
    return limit.getAsLong() >= memory.count()
        ? Finding.ok(AREA, "memlock", current + "; needed: " + memory)
        : Finding.warning(
            AREA,
            "memlock",
            current + "; needed by the card: " + memory,
            "ulimit -l unlimited (limits.conf memlock, LimitMEMLOCK= of the service)");
  }

  private Finding files() {
    OptionalLong limit = kernel.limit("Max open files");
    if (limit.isEmpty()) {
      return unknown("open files");
    }
    long current = limit.getAsLong();
    String text = current == Kernel.UNLIMITED ? "unlimited" : Long.toString(current);
    return current >= FILES_NEEDED
        ? Finding.ok(AREA, "open files", text)
        : Finding.warning(
            AREA,
            "open files",
            text + "; a large cluster needs " + FILES_NEEDED,
            "ulimit -n " + FILES_NEEDED + " (limits.conf nofile, LimitNOFILE= of the service)");
  }

  private static Finding unknown(String subject) {
    return Finding.warning(
        AREA, subject, "the kernel does not tell it", "mount proc: /proc/self/limits is missing");
  }

  private static String shown(long limit) {
    return limit == Kernel.UNLIMITED ? "unlimited" : new Bytes(limit).toString();
  }
}
