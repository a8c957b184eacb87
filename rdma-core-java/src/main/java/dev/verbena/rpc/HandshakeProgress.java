// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

/** How far a client's handshake has come. */
final class HandshakeProgress extends Awaited {
  /** The steps in order. */
  enum Step {
    BEGUN,
    WELCOMED,
    READY,
    FAILED
  }

  private volatile Step step = Step.BEGUN;
  private volatile Step wanted = Step.WELCOMED;

  /** What to wait for next. */
  void want(Step next) {
    wanted = next;
  }

  void reached(Step now) {
    step = now;
  }

  @Override
  boolean isDone() {
    return step.compareTo(wanted) >= 0;
  }
}
