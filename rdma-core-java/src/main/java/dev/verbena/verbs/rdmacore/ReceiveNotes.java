// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.WorkCompletion;

/**
 * What RECVs tell on soft-RoCE. Of one that failed the device tells one error for buffers that it
 * may not write and for a message that is longer than they are; so it is noted of each RECV, when
 * it is posted, whether its buffers are good.
 */
final class ReceiveNotes {
  private final LocalRules rules;
  private final RdmaDevice device;
  private final boolean[] good;

  ReceiveNotes(RdmaProtectionDomain domain, int slots) {
    this.rules = new LocalRules(domain);
    this.device = domain.device();
    this.good = new boolean[slots];
  }

  /** Poster: a RECV goes to the device, which has the slot until it completes. */
  void posted(int slot, ReceiveRequest request) {
    good[slot] = rules.canReceive(request);
  }

  /** Poller: a RECV came in, which may tell that the peer invalidated a window. */
  void received(WorkCompletion completion) {
    if (completion.hasInvalidatedKey()) {
      RdmaMemoryWindow window = device.window(completion.invalidatedKey());
      if (window != null) {
        window.setOpen(completion.invalidatedKey(), false);
      }
    }
  }

  /** Poller: how the RECV of that slot ended. */
  CompletionStatus status(int slot, CompletionStatus told) {
    if (told != CompletionStatus.LOCAL_QP_OPERATION_ERROR) {
      return told;
    }
    return good[slot]
        ? CompletionStatus.LOCAL_LENGTH_ERROR
        : CompletionStatus.LOCAL_PROTECTION_ERROR;
  }
}
