// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture.offender.rpc;

import java.util.function.Consumer;

/** Breaks the rule that a library leaves the process and the terminal alone. */
public final class Traces {
  private Traces() {}

  /** Prints by a method reference. */
  public static Consumer<Exception> handler() {
    return Throwable::printStackTrace;
  }
}
