// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import java.util.Collection;
import java.util.function.Consumer;

/** Does a thing to each of several, whatever became of the others: they may be in other pools. */
public final class Each {
  private Each() {}

  /** Throws the first failure, with the others, when all had their turn. */
  public static <T> void of(Collection<T> all, Consumer<T> action) {
    RuntimeException failure = null;
    for (T one : all) {
      try {
        action.accept(one);
      } catch (RuntimeException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
