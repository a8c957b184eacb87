// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

/** What the engine throws at a step that a fault plan lets fail. */
final class InjectedFault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  InjectedFault(FaultStep step) {
    super("a fault asked for at " + step);
  }
}
