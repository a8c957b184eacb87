// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import java.time.Duration;

/**
 * Where a device's engine passes its steps, so that a fault can be put between any two of them.
 * This one does nothing; the one that does is loaded only by a device whose options ask for faults,
 * so that calls of this one are compiled away in every other process.
 */
class FaultPort {
  /** The port of a device without faults. */
  static final FaultPort OFF = new FaultPort();

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** What becomes of a frame. */
  enum FrameFate {
    GOES_OUT,
    IS_LOST,
    GOES_OUT_TWICE
  }

  /** The port that a plan asks for; see {@link FaultPlan} for its text. */
  static FaultPort of(String plan) {
    return plan.isBlank() ? OFF : FaultPlan.parse(plan).port();
  }

  /** The engine has done this step. May stop the thread, end the process, or throw. */
  void at(FaultStep step) {}

  /** How many bytes of a run are copied before {@link FaultStep#PARTLY_COPIED}. */
  int firstPart(int run) {
    return run;
  }

  /** A frame was built. */
  FrameFate frameBuilt() {
    return FrameFate.GOES_OUT;
  }

  /** How long revocations and closes wait for a peer that is inside. */
  Duration patience() {
    return PATIENCE;
  }

  /** The model of one more link, null if links are as fast as they are. */
  LinkModel newLink() {
    return null;
  }
}
