// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.kill;

/**
 * What befell a query.
 *
 * @param executorsLost that the driver knows of; more than was killed if the machine is too busy
 * @param fetchFailures tasks that ended as FetchFailed
 * @param mapOutputsLost finished map tasks that were run again while their stage was still at work
 * @param tasksLost that ran on an executor as it died
 * @param stageRetries stages that were submitted again, each time
 * @param mostRetries of one stage
 */
public record LossCounts(
    int executorsLost,
    int fetchFailures,
    int mapOutputsLost,
    int tasksLost,
    int stageRetries,
    int mostRetries) {
  /** Nothing. */
  public static final LossCounts NONE = new LossCounts(0, 0, 0, 0, 0, 0);

  /** Whether something had to be made again that was finished. */
  public boolean workRepeated() {
    return fetchFailures > 0 || mapOutputsLost > 0 || stageRetries > 0;
  }

  /** The sums of both. */
  public LossCounts plus(LossCounts other) {
    return new LossCounts(
        executorsLost + other.executorsLost,
        fetchFailures + other.fetchFailures,
        mapOutputsLost + other.mapOutputsLost,
        tasksLost + other.tasksLost,
        stageRetries + other.stageRetries,
        Math.max(mostRetries, other.mostRetries));
  }

  /** For a reader. */
  public String inWords() {
    return ("executors lost %d, FetchFailed %d, map outputs lost %d, running tasks lost %d,"
            + " stage retries %d (of one stage %d)")
        .formatted(
            executorsLost, fetchFailures, mapOutputsLost, tasksLost, stageRetries, mostRetries);
  }
}
