// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.CompletionStatus;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Persists for peers' FLUSHes, on a few threads of the device's own: writing back to a disk takes
 * its time, and the device thread must not wait for it.
 */
final class Persister {
  private static final int THREADS = 4;
  private static final long IDLE_SECONDS = 10;

  private final RegionsByKey regions;
  private final ThreadPoolExecutor threads;

  Persister(String deviceName, RegionsByKey regions) {
    this.regions = regions;
    this.threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, deviceName + "-persist");
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /** Carries an order out and tells {@code done}, on another thread, how it ended. */
  void persist(FlushOrder order, Consumer<CompletionStatus> done) {
    threads.execute(() -> done.accept(run(order)));
  }

  private CompletionStatus run(FlushOrder order) {
    KeyHolder holder = regions.find(order.key());
    return holder == null ? CompletionStatus.REMOTE_ACCESS_ERROR : holder.persist(order);
  }

  /** The device closes: its queue pairs are closed already. */
  void close() {
    threads.shutdown();
  }
}
