// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.kill;

/**
 * When an executor is killed, and which.
 *
 * @param task counted from 1, in the order in which the driver learns of the event
 */
public record KillPoint(Event event, int task) {
  /** What the driver has just learnt. */
  public enum Event {
    /** A map task has ended; the executor with its output dies. */
    MAP_WRITTEN("once map output %d is registered, its executor"),
    /** A task that reads a shuffle has started; its executor dies. */
    READER_STARTED("as reading task %d starts, its executor"),
    /** A task that reads a shuffle has started; the executor that it reads from dies. */
    SOURCE_OF_READER("as reading task %d starts, the other executor");

    private final String words;

    Event(String words) {
      this.words = words;
    }
  }

  /** For a reader. */
  public String inWords() {
    return event.words.formatted(task);
  }
}
