// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;
import dev.verbena.memory.MappedMemory;
import dev.verbena.memory.MemoryMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * The barest ping-pong that two processes can play: a payload copied into shared memory, a word
 * stored behind it, a peer that spins on that word. It stands for what the hardware allows.
 *
 * <pre>
 *   0        64        128       192       256
 *   | there  | payload | back    | payload |      "there" and "back": the message's number
 * </pre>
 */
final class SharedWordEcho implements Echo {
  private static final int LINE = 64;
  private static final int THERE = 0;
  private static final int THERE_PAYLOAD = LINE;
  private static final int BACK = 2 * LINE;
  private static final int BACK_PAYLOAD = 3 * LINE;
  private static final int SIZE = 4 * LINE;

  private final MappedMemory memory;
  private final ByteBuffer payload =
      ByteBuffer.allocateDirect(MESSAGE).order(ByteOrder.nativeOrder());
  private final Spin spin = new Spin("shared word");

  private SharedWordEcho(MappedMemory memory) {
    this.memory = memory;
  }

  static SharedWordEcho create(Path file) {
    try {
      return new SharedWordEcho(MemoryMapper.create(file, SIZE));
    } catch (IOException e) {
      throw new IntegrationException("cannot make " + file, e);
    }
  }

  static SharedWordEcho open(Path file) {
    try {
      return new SharedWordEcho(MemoryMapper.open(file));
    } catch (IOException e) {
      throw new IntegrationException("cannot map " + file, e);
    }
  }

  @Override
  public void ask(long number) {
    put(THERE_PAYLOAD, THERE, number);
    await(BACK, BACK_PAYLOAD, number);
  }

  @Override
  public void answer(long number) {
    await(THERE, THERE_PAYLOAD, number);
    put(BACK_PAYLOAD, BACK, number);
  }

  private void put(int data, int word, long number) {
    payload.putLong(0, number);
    memory.put(data, payload, 0, MESSAGE);
    memory.putLongRelease(word, number);
  }

  private void await(int word, int data, long number) {
    spin.begin();
    while (memory.getLongAcquire(word) != number) {
      spin.idle();
    }
    memory.get(data, payload, 0, MESSAGE);
    if (payload.getLong(0) != number) {
      throw new IntegrationException("message " + payload.getLong(0) + " under word " + number);
    }
  }

  @Override
  public void close() {
    memory.close();
  }
}
