// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import org.HdrHistogram.Histogram;

/**
 * Plays rounds of a ping-pong with the far JVM. A round's figure is the mean of messages that are
 * not timed one by one, since taking the time costs a tenth of the fastest of them; the percentiles
 * are of others that are.
 */
final class PingPong implements Subject {
  private static final int TIMED_SHARE = 4;

  private final String name;
  private final Echo near;
  private final FarJvm far;
  private final int messages;
  private long number;

  /**
   * Prepares rounds.
   *
   * @param name of the subject, under which the far end knows its echo
   */
  PingPong(String name, Echo near, FarJvm far, int messages) {
    this.name = name;
    this.near = near;
    this.far = far;
    this.messages = messages;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Sample round() {
    int timed = Math.max(1, messages / TIMED_SHARE);
    far.beginAnswering(name, number + 1, messages + timed);
    long start = System.nanoTime();
    for (int i = 0; i < messages; i++) {
      near.ask(++number);
    }
    double nanos = (double) (System.nanoTime() - start) / messages;
    Histogram single = new Histogram(3);
    long before = System.nanoTime();
    for (int i = 0; i < timed; i++) {
      near.ask(++number);
      long now = System.nanoTime();
      single.recordValue(now - before);
      before = now;
    }
    far.endAnswering();
    return new Sample(nanos / Sample.SCALE, single);
  }

  /** Bytes that both ends' threads allocated for that many messages. */
  long allocated(int count) {
    far.beginAnswering(name, number + 1, count);
    long before = Allocation.ofThisThread();
    for (int i = 0; i < count; i++) {
      near.ask(++number);
    }
    long own = Allocation.ofThisThread() - before;
    return own + far.endAnswering();
  }
}
