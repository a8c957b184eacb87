// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.sidebyside;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the tasks of one job group did, summed.
 *
 * @param tasks counts and times
 * @param shuffle as Spark itself counts it
 * @param carriers as the plug-in counts it
 */
public record JobMetrics(TaskTotals tasks, ShuffleTotals shuffle, CarrierTotals carriers) {
  /** Those of a group without a task. */
  public static final JobMetrics NONE =
      new JobMetrics(TaskTotals.NONE, ShuffleTotals.NONE, CarrierTotals.NONE);

  /** The sums of both. */
  public JobMetrics plus(JobMetrics other) {
    return new JobMetrics(
        tasks.plus(other.tasks), shuffle.plus(other.shuffle), carriers.plus(other.carriers));
  }

  /**
   * Counts and times of tasks.
   *
   * @param stageRetries stages that were submitted again
   */
  public record TaskTotals(
      long count,
      long failed,
      long stageRetries,
      long cpuNanos,
      long runMillis,
      long gcMillis,
      long diskBytesSpilled) {
    static final TaskTotals NONE = new TaskTotals(0, 0, 0, 0, 0, 0, 0);
    static final TaskTotals STAGE_RETRY = new TaskTotals(0, 0, 1, 0, 0, 0, 0);

    TaskTotals plus(TaskTotals other) {
      return new TaskTotals(
          count + other.count,
          failed + other.failed,
          stageRetries + other.stageRetries,
          cpuNanos + other.cpuNanos,
          runMillis + other.runMillis,
          gcMillis + other.gcMillis,
          diskBytesSpilled + other.diskBytesSpilled);
    }
  }

  /**
   * Shuffle traffic in Spark's own metrics.
   *
   * @param localBytesRead taken as local, the files of an executor on the same host included
   */
  public record ShuffleTotals(
      long bytesWritten,
      long recordsWritten,
      long writeNanos,
      long recordsRead,
      long fetchWaitMillis,
      long localBytesRead,
      long remoteBytesRead,
      long localBlocksRead,
      long remoteBlocksRead) {
    static final ShuffleTotals NONE = new ShuffleTotals(0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** Taken as local and as remote. */
    public long bytesRead() {
      return localBytesRead + remoteBytesRead;
    }

    ShuffleTotals plus(ShuffleTotals other) {
      return new ShuffleTotals(
          bytesWritten + other.bytesWritten,
          recordsWritten + other.recordsWritten,
          writeNanos + other.writeNanos,
          recordsRead + other.recordsRead,
          fetchWaitMillis + other.fetchWaitMillis,
          localBytesRead + other.localBytesRead,
          remoteBytesRead + other.remoteBytesRead,
          localBlocksRead + other.localBlocksRead,
          remoteBlocksRead + other.remoteBlocksRead);
    }
  }

  /**
   * Shuffle reads by carrier: {@code own}, {@code mapped}, {@code shm}, {@code tcp}, {@code netty}.
   * Stock Spark counts none.
   *
   * @param fallbacks by reason
   */
  public record CarrierTotals(
      SortedMap<String, Long> bytes,
      SortedMap<String, Long> blocks,
      SortedMap<String, Long> fallbacks) {
    /** What a reader takes from its own store. */
    static final String OWN = "own";

    static final CarrierTotals NONE =
        new CarrierTotals(new TreeMap<>(), new TreeMap<>(), new TreeMap<>());

    CarrierTotals plus(CarrierTotals other) {
      return new CarrierTotals(
          sum(bytes, other.bytes), sum(blocks, other.blocks), sum(fallbacks, other.fallbacks));
    }

    /** Bytes that came from another executor's store, over whatever carrier. */
    public long foreignBytes() {
      return bytes.entrySet().stream()
          .filter(carrier -> !carrier.getKey().equals(OWN))
          .mapToLong(Map.Entry::getValue)
          .sum();
    }

    /** Blocks that fell back, for whatever reason. */
    public long fallbackCount() {
      return fallbacks.values().stream().mapToLong(Long::longValue).sum();
    }

    private static SortedMap<String, Long> sum(Map<String, Long> a, Map<String, Long> b) {
      SortedMap<String, Long> sum = new TreeMap<>(a);
      b.forEach((key, value) -> sum.merge(key, value, Long::sum));
      return sum;
    }
  }
}
