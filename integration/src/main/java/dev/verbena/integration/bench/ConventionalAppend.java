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
  private final boolean timed;
  private long number;
  private long postNanos;
  private FarTimes before;
  private FarTimes used;

  /**
   * Prepares to append to {@link AppendServer}.
   *
   * @param name what the far end knows itself by
   * @param end with room for the longest entry and an answer behind it
   * @param timed whether the times of parts are taken
   */
  ConventionalAppend(String name, VerbsEnd end, FarJvm far, int longest, boolean timed) {
    this.timed = timed;
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
    postNanos = 0;
    before = FarTimes.of(far);
    far.beginAnswering(name, number + 1, count);
  }

  @Override
  public void append(byte[] entry, int length) {
    long begun = timed ? System.nanoTime() : 0;
    crc.reset();
    crc.update(entry, 0, length);
    end.region().memory().put(0, entry, 0, length);
    number++;
    end.queuePair()
        .postSend(
            send.sendWithImmediate(number, (int) crc.getValue())
                .buffer(end.region().address(), length, end.region().localKey())
                .signaled());
    if (timed) {
      postNanos += System.nanoTime() - begun;
    }
    wait.next(Opcode.RECEIVE);
    end.queuePair().postReceive(receive);
  }

  @Override
  public void end() {
    far.endAnswering();
    used = FarTimes.of(far).minus(before);
  }

  @Override
  public AppendSplit split(double micros, int count) {
    double scale = Sample.SCALE * count;
    double carried = (postNanos + used.reply()) / scale;
    double append = used.append() / scale;
    double persist = used.persist() / scale;
    return new AppendSplit(carried, micros - carried - append, append - persist, persist);
  }

  @Override
  public String toString() {
    return name + " of at most " + longest + " bytes";
  }
}
