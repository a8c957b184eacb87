// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the tasks of one query did, summed. Carriers are those of the plug-in: {@code own}, {@code
 * mapped}, {@code shm}, {@code tcp}, {@code netty}; vanilla Spark counts none.
 *
 * @param stageRetries stages that were submitted again
 * @param localBytesRead shuffle bytes that Spark took as local, a same-host peer's files included
 * @param remoteBytesRead shuffle bytes that Spark took as remote
 * @param fallbacks by reason
 */
record QueryMetrics(
    long tasks,
    long failedTasks,
    long stageRetries,
    long executorCpuNanos,
    long executorRunMillis,
    long gcMillis,
    long shuffleBytesWritten,
    long shuffleRecordsWritten,
    long shuffleWriteNanos,
    long fetchWaitMillis,
    long localBytesRead,
    long remoteBytesRead,
    long localBlocksRead,
    long remoteBlocksRead,
    long diskBytesSpilled,
    SortedMap<String, Long> bytesByCarrier,
    SortedMap<String, Long> blocksByCarrier,
    SortedMap<String, Long> fallbacks) {

  QueryMetrics plus(QueryMetrics other) {
    return new QueryMetrics(
        tasks + other.tasks,
        failedTasks + other.failedTasks,
        stageRetries + other.stageRetries,
        executorCpuNanos + other.executorCpuNanos,
        executorRunMillis + other.executorRunMillis,
        gcMillis + other.gcMillis,
        shuffleBytesWritten + other.shuffleBytesWritten,
        shuffleRecordsWritten + other.shuffleRecordsWritten,
        shuffleWriteNanos + other.shuffleWriteNanos,
        fetchWaitMillis + other.fetchWaitMillis,
        localBytesRead + other.localBytesRead,
        remoteBytesRead + other.remoteBytesRead,
        localBlocksRead + other.localBlocksRead,
        remoteBlocksRead + other.remoteBlocksRead,
        diskBytesSpilled + other.diskBytesSpilled,
        sum(bytesByCarrier, other.bytesByCarrier),
        sum(blocksByCarrier, other.blocksByCarrier),
        sum(fallbacks, other.fallbacks));
  }

  static QueryMetrics none() {
    return new QueryMetrics(
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>());
  }

  long fallbackCount() {
    return fallbacks.values().stream().mapToLong(Long::longValue).sum();
  }

  private static SortedMap<String, Long> sum(Map<String, Long> a, Map<String, Long> b) {
    SortedMap<String, Long> sum = new TreeMap<>(a);
    b.forEach((key, value) -> sum.merge(key, value, Long::sum));
    return sum;
  }
}
