// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;
import org.HdrHistogram.Histogram;

/** Rounds of appends of one length; after each the far end's logs are emptied. */
final class AppendRounds implements Subject {
  private final Appending way;
  private final FarJvm far;
  private final byte[] entry;
  private final int count;

  /**
   * Prepares rounds.
   *
   * @param length bytes of an entry
   * @param count entries of a round
   */
  AppendRounds(Appending way, FarJvm far, int length, int count) {
    this.way = way;
    this.far = far;
    this.entry = new byte[length];
    this.count = count;
  }

  @Override
  public String name() {
    return way.name();
  }

  @Override
  public Sample round() {
    Sample sample = append();
    expectAll();
    return sample;
  }

  /**
   * A round that is told in parts.
   *
   * @param sample the whole
   * @param split its parts
   */
  record Split(Sample sample, AppendSplit split) {}

  /** A round whose parts are told; the far end must take times. */
  Split splitRound() {
    Sample sample = round();
    return new Split(sample, way.split(sample.value(), count));
  }

  /** Appends; {@link #expectAll} is to follow. */
  Sample append() {
    Histogram single = new Histogram(3);
    way.begin(count);
    long start = System.nanoTime();
    long before = start;
    for (int i = 0; i < count; i++) {
      entry[0] = (byte) i;
      way.append(entry, entry.length);
      long now = System.nanoTime();
      single.recordValue(now - before);
      before = now;
    }
    double micros = (before - start) / Sample.SCALE / count;
    way.end();
    return new Sample(micros, single);
  }

  /** What was appended must be in the store, or the figure is of something else. Empties it. */
  void expectAll() {
    String[] found = far.ask(FarMain.TRIM + " " + PersistBench.STORE).split(" ", -1);
    int least = Integer.parseInt(found[0]) + Integer.parseInt(found[1]);
    if (least < count) {
      throw new IntegrationException(least + " entries are in the logs, expected " + count);
    }
  }
}
