// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.WorkCompletion;

/** Waits for one completion at a time, polling or asleep. Others are only checked. One thread. */
final class MessageWait {
  private final VerbsEnd end;
  private final VerbsEcho.Waiting waiting;
  private final WorkCompletion[] batch = WorkCompletion.array(1);
  private final Spin spin = new Spin("append");

  MessageWait(VerbsEnd end, VerbsEcho.Waiting waiting) {
    this.end = end;
    this.waiting = waiting;
  }

  /** The next completion of a kind; it is good until the next call. */
  WorkCompletion next(Opcode kind) {
    spin.begin();
    while (!poll(kind)) {
      if (waiting == VerbsEcho.Waiting.POLL) {
        spin.idle();
      } else if (sleep(kind)) {
        break;
      }
    }
    return batch[0];
  }

  private boolean sleep(Opcode kind) {
    end.completions().requestNotification(false);
    if (poll(kind)) {
      return true;
    }
    try {
      if (end.channel().awaitEvent(Deadline.after(AppendServer.patience())) == null) {
        throw new IntegrationException("no " + kind + " within " + AppendServer.patience());
      }
    } catch (InterruptedException e) {
      throw new IntegrationException("interrupted while waiting for " + kind, e);
    }
    return false;
  }

  private boolean poll(Opcode kind) {
    while (end.completions().poll(batch) > 0) {
      if (!batch[0].isSuccess()) {
        throw new IntegrationException("an append failed: " + batch[0]);
      }
      if (batch[0].opcode() == kind) {
        return true;
      }
    }
    return false;
  }
}
