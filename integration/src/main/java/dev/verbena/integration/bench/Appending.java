// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

/** A way to append entries to a log of the far end, durable when it returns. One thread. */
interface Appending {
  /** Its name in reports. */
  String name();

  /** Before a number of appends. */
  void begin(int count);

  /** Appends. */
  void append(byte[] entry, int length);

  /** After them. */
  void end();

  /**
   * Where the time of the appends between the last begin and end went.
   *
   * @param micros of one, as a mean
   */
  AppendSplit split(double micros, int count);
}
