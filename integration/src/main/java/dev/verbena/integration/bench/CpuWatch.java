// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * How much of the machine others used while a benchmark ran: busy CPU minus that of the processes
 * that belong to it, from proc(5). Figures taken beside more than some 5 % of others mean little.
 */
public final class CpuWatch {
  /** USER_HZ, the same on all of Linux's 64-bit platforms. */
  private static final double TICKS_PER_SECOND = 100;

  private static final int USER = 1;
  private static final int IDLE = 4;
  private static final int IOWAIT = 5;
  private static final int STEAL = 8;
  private static final int PROCESS_UTIME = 11;
  private static final int PROCESS_STIME = 12;

  private final List<Long> processes;
  private final long total;
  private final long busy;
  private final long own;

  private CpuWatch(List<Long> processes) {
    this.processes = processes;
    long[] machine = machine();
    total = machine[0];
    busy = machine[1];
    own = own();
  }

  /** Starts watching; the benchmark is this process and those named. */
  public static CpuWatch start(long... children) {
    List<Long> all = new ArrayList<>();
    all.add(ProcessHandle.current().pid());
    for (long child : children) {
      all.add(child);
    }
    return new CpuWatch(all);
  }

  /** Starts watching; the benchmark is the processes named, and not this one. */
  static CpuWatch of(long... processes) {
    return new CpuWatch(Arrays.stream(processes).boxed().toList());
  }

  /** CPU of others since the start, as a share of the whole machine: "4 %" say. */
  public String others() {
    return String.format(Locale.ROOT, "%.0f %%", 100 * othersShare());
  }

  /** The same as a number from 0 to 1. */
  double othersShare() {
    long[] machine = machine();
    long span = Math.max(1, machine[0] - total);
    long others = Math.max(0, machine[1] - busy - (own() - own));
    return (double) others / span;
  }

  /** CPU of the benchmark's processes since the start, in user mode and in the kernel. */
  double ownSeconds() {
    return (own() - own) / TICKS_PER_SECOND;
  }

  private static long[] machine() {
    String[] fields = firstLine(Path.of("/proc/stat")).split("\\s+", -1);
    long idle = Long.parseLong(fields[IDLE]) + Long.parseLong(fields[IOWAIT]);
    long all = 0;
    for (int i = USER; i <= STEAL; i++) {
      all += Long.parseLong(fields[i]);
    }
    return new long[] {all, all - idle};
  }

  private long own() {
    return processes.stream().mapToLong(CpuWatch::ticksOf).sum();
  }

  /** CPU of a process since it began, in user mode and in the kernel. */
  static double cpuSecondsOf(long process) {
    return ticksOf(process) / TICKS_PER_SECOND;
  }

  private static long ticksOf(long process) {
    String line = firstLine(Path.of("/proc/" + process + "/stat"));
    // The name in parentheses may hold spaces; the fields behind it do not.
    String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
    return Long.parseLong(fields[PROCESS_UTIME]) + Long.parseLong(fields[PROCESS_STIME]);
  }

  private static String firstLine(Path file) {
    try (var lines = Files.lines(file)) {
      return lines.findFirst().orElseThrow();
    } catch (IOException e) {
      throw new IntegrationException("cannot read " + file, e);
    }
  }
}
