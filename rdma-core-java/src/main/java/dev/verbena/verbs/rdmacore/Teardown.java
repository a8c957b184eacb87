// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

/**
 * Closes several things, all of them whatever fails, so that a failure does not leave behind what
 * comes after it.
 */
final class Teardown {
  private RuntimeException failure;

  /** Takes a step. */
  Teardown step(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      add(e);
    }
    return this;
  }

  /** Closes each of them, in this order. */
  Teardown all(Iterable<? extends AutoCloseable> those) {
    for (AutoCloseable each : those) {
      try {
        each.close();
      } catch (RuntimeException e) {
        add(e);
      } catch (Exception e) {
        add(new IllegalStateException("closing " + each, e));
      }
    }
    return this;
  }

  private void add(RuntimeException e) {
    if (failure == null) {
      failure = e;
    } else {
      failure.addSuppressed(e);
    }
  }

  /** Throws what failed first, which has the other failures with it. */
  void end() {
    if (failure != null) {
      throw failure;
    }
  }
}
