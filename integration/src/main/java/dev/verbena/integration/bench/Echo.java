// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

/**
 * One end of a ping-pong of {@link #MESSAGE} bytes between two JVMs. For one thread. Neither method
 * allocates once warm.
 */
interface Echo extends AutoCloseable {
  /** Bytes each way. */
  int MESSAGE = 64;

  /** The near end: sends a message that begins with the number and waits for it to come back. */
  void ask(long number);

  /** The far end: waits for the message of that number and sends it back. */
  void answer(long number);

  @Override
  void close();
}
