// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.time.Deadline;
import java.time.Duration;

/**
 * Looks whether a tcp peer still answers one queue pair: while a request waits, something must be
 * sent or answered within the queue pair's answer timeout. Device thread only.
 */
final class AnswerWatch {
  private static final int LOOKS = 4;
  private static final Duration SHORTEST = Duration.ofMillis(5);

  private final TcpConnection connection;
  private final DeviceThread thread;
  private final Duration interval;
  private final long patience;
  private long seen = -1;
  private long since;
  private boolean ended;

  AnswerWatch(TcpConnection connection, DeviceThread thread, Duration answerTimeout) {
    this.connection = connection;
    this.thread = thread;
    Duration quarter = answerTimeout.dividedBy(LOOKS);
    this.interval = quarter.compareTo(SHORTEST) < 0 ? SHORTEST : quarter;
    this.patience = answerTimeout.toNanos();
  }

  void begin() {
    thread.schedule(Deadline.after(interval), this::look);
  }

  void end() {
    ended = true;
  }

  private void look() {
    if (ended) {
      return;
    }
    long now = System.nanoTime();
    long progress = connection.progress();
    if (progress != seen || !connection.awaitsPeer()) {
      seen = progress;
      since = now;
    } else if (now - since >= patience) {
      connection.peerIsSilent();
      return;
    }
    begin();
  }
}
