// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import java.io.PrintStream;
import java.time.Duration;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** Tells how far the making of the data has come: a line after each part of a table. */
final class PartProgress extends SparkListener {
  private final long totalWork;
  private final PrintStream out;
  private final long started = System.nanoTime();
  private String table;
  private int parts;
  private int done;
  private long tableWork;
  private long workBefore;

  PartProgress(long totalWork, PrintStream out) {
    this.totalWork = totalWork;
    this.out = out;
  }

  /** A table of so many parts, and of so much of the total work, is next. */
  synchronized void begin(String name, int partCount, long work) {
    table = name;
    parts = partCount;
    done = 0;
    tableWork = work;
  }

  synchronized void end(long rows) {
    workBefore += tableWork;
    tableWork = 0;
    out.printf("  %-24s %,12d rows   %3d %% after %s%n", table, rows, percent(0), elapsed());
  }

  @Override
  public synchronized void onTaskEnd(SparkListenerTaskEnd task) {
    // The count that checks a table is a job as well; its tasks come after the last part.
    boolean wrote =
        task.taskMetrics() != null && task.taskMetrics().outputMetrics().recordsWritten() > 0;
    if (!wrote || done == parts) {
      return;
    }
    done++;
    if (parts > 1) {
      long work = tableWork * done / parts;
      out.printf(
          "  %-24s part %d of %d      %3d %% after %s%n",
          table, done, parts, percent(work), elapsed());
    }
  }

  private long percent(long workInTable) {
    return (workBefore + workInTable) * 100 / totalWork;
  }

  private String elapsed() {
    Duration time = Duration.ofNanos(System.nanoTime() - started);
    return time.toSeconds() + " s";
  }
}
