// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import java.util.zip.CRC32C;

/** The near end of the conventional append: a message with the entry, and an answer awaited. */
final class ConventionalAppend implements Appending {
  private final String name;
  private final VerbsEnd end;
  private final FarJvm far;
  private final MessageWait wait;
  private final ReceiveRequest receive;
  private final SendRequest send = new SendRequest(1);
  private final CRC32C crc = new CRC32C();
  private final int longest;
  private long number;

  /**
   * Prepares to append to {@link AppendServer}.
   *
   * @param name what the far end knows itself by
   * @param end with room for the longest entry and an answer behind it
   */
  ConventionalAppend(String name, VerbsEnd end, FarJvm far, int longest) {
    this.name = name;
    this.end = end;
    this.far = far;
    this.longest = longest;
    this.wait = new MessageWait(end, VerbsEcho.Waiting.POLL);
    this.receive =
        new ReceiveRequest(1)
            .begin(0)
            .buffer(end.region().address() + longest, Long.BYTES, end.region().localKey());
    end.queuePair().postReceive(receive);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void begin(int count) {
    far.beginAnswering(name, number + 1, count);
  }

  @Override
  public void append(byte[] entry, int length) {
    crc.reset();
    crc.update(entry, 0, length);
    end.region().memory().put(0, entry, 0, length);
    number++;
    end.queuePair()
        .postSend(
            send.sendWithImmediate(number, (int) crc.getValue())
                .buffer(end.region().address(), length, end.region().localKey())
                .signaled());
    wait.next(Opcode.RECEIVE);
    end.queuePair().postReceive(receive);
  }

  @Override
  public void end() {
    far.endAnswering();
  }

  @Override
  public String toString() {
    return name + " of at most " + longest + " bytes";
  }
}
