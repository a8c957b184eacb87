// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture.offender.rpc;

/** Breaks the rule that a library leaves the process and the terminal alone. */
public final class Exits {
  private Exits() {}

  /** Ends its host by a reference, which is no call. */
  public static Runnable later() {
    return () -> System.exit(1);
  }
}
