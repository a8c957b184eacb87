// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.testing.mutation.Attacks;
import java.util.Map;

/** What a peer may say of the RECVs that a shared receive queue dealt to it. */
public final class LaneAttacks implements Attacks {
  @Override
  public Map<String, Runnable> all() {
    return Map.of(
        "recallingWhatWasTaken",
        () -> new DealtLaneTest().whatThePeerTookMeanwhileIsNotRecalled(),
        "recallingWhileThePeerIsAtIt",
        () -> new DealtLaneTest().nothingIsRecalledWhileThePeerAnnouncesTheQueue(),
        "claimingMoreThanWasDealt",
        () -> new DealtLaneTest().aPeerThatClaimsMoreThanItWasDealtGetsNothingByIt(),
        "claimingLessThanWasRetired",
        () -> new DealtLaneTest().aPeerThatTakesBackWhatItSaidGetsNothingByIt(),
        "askingForAnother",
        () -> new DealtLaneTest().aPeerAsksForTheNextReceiveOnly(),
        "passingAMark",
        () -> new DealtLaneTest().aMarkIsPassedOnceSoManyWereTaken(),
        "takingBackWhatWasCompleted",
        () -> new DealtLaneTest().whatIsTakenBackLeavesOutTheCompletionsThatExist());
  }
}
