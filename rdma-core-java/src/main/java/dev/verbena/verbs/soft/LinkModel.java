// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import java.time.Duration;
import java.util.SplittableRandom;

/**
 * When the frames of one direction of a link arrive, if the link had a rate, a delay, losses and an
 * outage. Frames never overtake each other. A loss is one that the transport beneath repairs: the
 * frame comes a retransmission later. Pure arithmetic on the clock that the caller passes in
 * (nanoseconds, from any origin); one thread at a time.
 */
final class LinkModel {
  private static final long REPAIR_NANOS = 1_000_000;
  private static final double NANOS = 1e9;

  /**
   * What a link is like.
   *
   * @param rate bytes a second, 0 for any
   * @param delay of each frame
   * @param lossOneIn one frame in so many is lost, 0 for none
   * @param outageFrom when nothing passes any more, counted from the link's first frame
   * @param outageTo when frames pass again
   */
  record Settings(
      long rate, Duration delay, long lossOneIn, Duration outageFrom, Duration outageTo) {
    static final Settings NONE = new Settings(0, Duration.ZERO, 0, Duration.ZERO, Duration.ZERO);

    Settings withRate(long bytes) {
      return new Settings(bytes, delay, lossOneIn, outageFrom, outageTo);
    }

    Settings withDelay(Duration time) {
      return new Settings(rate, time, lossOneIn, outageFrom, outageTo);
    }

    Settings withLossOneIn(long frames) {
      return new Settings(rate, delay, frames, outageFrom, outageTo);
    }

    Settings withOutage(Duration from, Duration to) {
      return new Settings(rate, delay, lossOneIn, from, to);
    }
  }

  private final Settings settings;
  private final SplittableRandom random;
  private boolean begun;
  private long start;
  private long free;
  private long latest;

  LinkModel(Settings settings, SplittableRandom random) {
    this.settings = settings;
    this.random = random;
  }

  /** When a frame that is handed to the link now arrives. */
  long arrival(int bytes, long now) {
    if (!begun) {
      begun = true;
      start = now;
      free = now;
      latest = now;
    }
    long leaves = afterOutage(free - now > 0 ? free : now);
    free = leaves + (settings.rate() == 0 ? 0 : (long) (bytes * NANOS / settings.rate()));
    long arrives = free + settings.delay().toNanos();
    if (settings.lossOneIn() > 0 && random.nextLong(settings.lossOneIn()) == 0) {
      arrives += 2 * settings.delay().toNanos() + REPAIR_NANOS;
    }
    latest = arrives - latest > 0 ? arrives : latest;
    return latest;
  }

  private long afterOutage(long time) {
    long since = time - start;
    boolean isOut =
        since >= settings.outageFrom().toNanos() && since < settings.outageTo().toNanos();
    return isOut ? start + settings.outageTo().toNanos() : time;
  }
}
