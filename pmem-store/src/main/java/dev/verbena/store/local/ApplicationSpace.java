// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.StoreException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The space of a store that one application takes up: chunks of records, published or on the way to
 * be, until they are given back. What a writer has reserved and not filled is not counted, but for
 * runs of a log, which count from when they are granted. Thread-safe, without locks.
 */
final class ApplicationSpace {
  private final String application;
  private final long quota;
  private final AtomicLong used = new AtomicLong();

  /** How many outputs and writers it has; guarded by {@link ApplicationSpaces}. */
  int holders;

  ApplicationSpace(String application, long quota) {
    this.application = application;
    this.quota = quota;
  }

  /**
   * Takes {@code bytes} more.
   *
   * @throws StoreException QUOTA_EXCEEDED if that is more than is left; then nothing is taken
   */
  void take(long bytes) {
    long before = used.get();
    while (bytes <= quota - before) {
      if (used.compareAndSet(before, before + bytes)) {
        return;
      }
      before = used.get();
    }
    throw new StoreException(
        StoreException.Code.QUOTA_EXCEEDED,
        "application "
            + application
            + " has a quota of "
            + quota
            + " bytes and uses "
            + before
            + ": no room for "
            + bytes
            + " more");
  }

  /** Bytes that the quota allows besides. */
  long left() {
    return Math.max(0, quota - used.get());
  }

  /** Takes {@code bytes} whether the quota allows it or not: they are in use already. */
  void takeFound(long bytes) {
    used.addAndGet(bytes);
  }

  /** Gives back. */
  void giveBack(long bytes) {
    used.addAndGet(-bytes);
  }

  /** Bytes in use, whole chunks counted. */
  long used() {
    return used.get();
  }
}
