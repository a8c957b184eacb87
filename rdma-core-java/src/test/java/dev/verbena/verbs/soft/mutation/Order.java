// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft.mutation;

import dev.verbena.testing.mutation.ClassFiles;
import dev.verbena.testing.mutation.Copy;
import dev.verbena.testing.mutation.MutationTrial;
import dev.verbena.verbs.VerbsProvider;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Every fence and ordered access of the software NIC, and the scenarios that need them. x86 itself
 * would show the full fences alone: its release stores and acquire loads are plain moves.
 */
final class Order {
  private static final List<String> SUITES =
      List.of(
          Checks.PACKAGE + ".KeyOrder",
          Checks.PACKAGE + ".QueueOrder",
          Checks.PACKAGE + ".NoticeOrder",
          Checks.PACKAGE + ".ServiceOrder");

  private static final String NOTHING_BEHIND =
      "a count, a flag or a zero: no reader goes on to data that was stored before it";
  private static final String FENCED = "a fence between it and what it must be ordered with";
  private static final String HAZARD = "the hazard, acquired first or released after, orders it";
  private static final String SOCKET = "read after a message through a socket, which orders it";
  private static final String KEY_FIRST =
      "an access meets the key first, whose word is stored after and loaded before";
  private static final String SPURIOUS = "two that disarm wake twice, which does no harm";

  /** Mutants that no scenario can show, not even on this memory, with the reason. */
  static final Map<String, String> UNOBSERVABLE = new TreeMap<>();

  private static void list(String why, String... mutants) {
    for (String mutant : mutants) {
      UNOBSERVABLE.put(mutant + " PLAIN", why);
    }
  }

  static {
    list(
        NOTHING_BEHIND,
        "CompletionLane.pending#0",
        "DealtLane.asks#0",
        "DealtLane.clearMark#0",
        "DealtLane.taken#0",
        "KeyTable.freeWindow#0",
        "KeyTable.insertWindow#0",
        "KeyTable.isUnbound#0",
        "KeyTable.revoke#0",
        "KeyTable.unbind#0",
        "OwnSegments.release#0",
        "ReceiveSide.setCompletionMark#0",
        "Responder.askForReceive#0",
        "Responder.breakTarget#0",
        "Responder.reachedMark#0",
        "Responder.reachedMark#1",
        "SoftCompletionQueue.<init>#0",
        "SoftQueuePair.breakIfPeerBroke#0",
        "SoftQueuePair.isLettingIn#0");
    list(
        FENCED,
        "DealtLane.setMark#0",
        "HazardSlot.announce#0",
        "KeyTable.invalidate#0",
        "Responder.disarm#1",
        "SoftCompletionQueue.completionAdded#1",
        "SoftCompletionQueue.disarmAndFire#0",
        "SoftCompletionQueue.isArmed#0",
        "SoftCompletionQueue.requestNotification#0",
        "SoftQueuePair.breakConnection#0");
    list(
        HAZARD,
        "DealtLane.recall#1",
        "DealtLane.recall#2",
        "Responder.isAlive#0",
        "Responder.takeReceive#1");
    list(SOCKET, "PeerLinks.add#0", "QueuePairAreaLayout.writeTo#0", "SoftDevice.start#0");
    list(KEY_FIRST, "OwnSegments.publish#0", "PeerSegments.generation#0");
    list(SPURIOUS, "Responder.disarm#2", "SoftCompletionQueue.disarmAndFire#1");
  }

  private Order() {}

  static MutationTrial trial() {
    return new MutationTrial(
        "order of the software NIC, seeds "
            + OrderRuns.seed()
            + " to "
            + (OrderRuns.seed() + OrderRuns.runs() - 1),
        new Copy.Plan(
            ClassFiles.with(VerbsProvider.class),
            Checks.PACKAGE,
            OrderedSites::ofCode,
            OrderedSites::ofTests),
        SUITES);
  }
}
