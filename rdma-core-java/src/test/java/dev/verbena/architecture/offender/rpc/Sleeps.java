// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture.offender.rpc;

/** Breaks the rule that nothing sleeps. */
public final class Sleeps {
  private Sleeps() {}

  /** Waits for time to pass. */
  public static void nap() throws InterruptedException {
    Thread.sleep(1);
  }
}
