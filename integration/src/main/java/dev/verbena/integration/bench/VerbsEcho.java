// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;
import dev.verbena.memory.MappedMemory;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.WorkCompletion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;

/** A ping-pong of inline SENDs. Every request object is made once. */
final class VerbsEcho implements Echo {
  /** How an end waits for its completion. */
  enum Waiting {
    /** Polls until it is there. */
    POLL,
    /** Polls once, arms the completion queue and sleeps. */
    SLEEP
  }

  private static final int SLOTS = 16;
  private static final int SENDS_A_SIGNAL = 16;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final VerbsEnd end;
  private final Waiting waiting;
  private final MappedMemory memory;
  private final ReceiveRequest[] receives = new ReceiveRequest[SLOTS];
  private final SendRequest send = new SendRequest(1);
  private final ByteBuffer message =
      ByteBuffer.allocateDirect(MESSAGE).order(ByteOrder.nativeOrder());
  private final WorkCompletion[] batch = WorkCompletion.array(4);
  private final Spin spin = new Spin("SEND");
  private Deadline deadline = Deadline.after(PATIENCE);
  private int slot;

  /** Posts its RECVs, which must be there before the peer sends: make it before connecting. */
  VerbsEcho(VerbsEnd end, Waiting waiting) {
    this.end = end;
    this.waiting = waiting;
    memory = end.region().memory();
    for (int i = 0; i < SLOTS; i++) {
      receives[i] =
          new ReceiveRequest(1)
              .begin(i)
              .buffer(
                  end.region().address() + (long) i * MESSAGE, MESSAGE, end.region().localKey());
      end.queuePair().postReceive(receives[i]);
    }
  }

  @Override
  public void ask(long number) {
    send(number);
    receive(number);
  }

  @Override
  public void answer(long number) {
    receive(number);
    send(number);
  }

  private void send(long number) {
    message.putLong(0, number);
    send.send(number).inline(message, 0, MESSAGE);
    if (number % SENDS_A_SIGNAL == 0) {
      send.signaled();
      // Far fewer are made in a round than the deadline has room for.
      if (waiting == Waiting.SLEEP) {
        deadline = Deadline.after(PATIENCE);
      }
    }
    end.queuePair().postSend(send);
  }

  private void receive(long number) {
    spin.begin();
    while (!poll()) {
      if (waiting == Waiting.POLL) {
        spin.idle();
      } else if (sleep()) {
        break;
      }
    }
    long found = memory.getLong((long) slot * MESSAGE);
    if (found != number) {
      throw new IntegrationException("message " + found + " instead of " + number);
    }
    end.queuePair().postReceive(receives[slot]);
  }

  /** Arms, and sleeps unless a message came in between; whether one did. */
  private boolean sleep() {
    end.completions().requestNotification(false);
    if (poll()) {
      return true;
    }
    try {
      if (end.channel().awaitEvent(deadline) == null) {
        throw new IntegrationException("no message within " + PATIENCE);
      }
    } catch (InterruptedException e) {
      throw new IntegrationException("interrupted while waiting for a message", e);
    }
    return false;
  }

  /** Takes completions; whether a message is among them. At most one is on its way. */
  private boolean poll() {
    boolean arrived = false;
    int count = end.completions().poll(batch);
    for (int i = 0; i < count; i++) {
      WorkCompletion done = batch[i];
      if (!done.isSuccess()) {
        throw new IntegrationException("ping-pong failed: " + done);
      }
      if (done.opcode() == Opcode.RECEIVE) {
        slot = (int) done.requestId();
        arrived = true;
      }
    }
    return arrived;
  }

  @Override
  public void close() {
    end.close();
  }
}
