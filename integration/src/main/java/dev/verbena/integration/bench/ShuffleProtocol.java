// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.sidebyside.JobMetrics;

/** What a shuffle server and its launcher say to each other. */
final class ShuffleProtocol {
  private ShuffleProtocol() {}

  /**
   * A job to run.
   *
   * @param name also tells its stages from others'
   * @param checked whether the rows are to be digested though it costs time
   */
  record Request(String name, ShuffleCase what, boolean checked) {}

  /**
   * What came of it.
   *
   * @param error null if the job has run
   * @param digest null if none was taken
   * @param executorCpuSeconds of the executors' processes, all threads
   * @param others how much of the machine other processes used meanwhile, from 0 to 1
   */
  record Reply(
      String error,
      RowDigest digest,
      double wallSeconds,
      double mapSeconds,
      double reduceSeconds,
      double executorCpuSeconds,
      double driverCpuSeconds,
      double others,
      JobMetrics metrics) {
    static Reply failed(String error) {
      return new Reply(error, null, 0, 0, 0, 0, 0, 0, JobMetrics.NONE);
    }
  }
}
