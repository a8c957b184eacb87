// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture.offender.rpc;

/** Breaks the rule that a library leaves the process and the terminal alone. */
public final class Chatty {
  private Chatty() {}

  /** Writes to the host's terminal. */
  public static void greet() {
    System.out.println("hello");
  }
}
