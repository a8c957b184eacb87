// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.StoreException;
import java.util.Collection;
import java.util.function.Consumer;

/** Does a thing to each of several, whatever became of the others: they may be in other pools. */
final class Each {
  private Each() {}

  /** Throws the first failure, with the others, when all had their turn. */
  static <T> void of(Collection<T> all, Consumer<T> action) {
    StoreException failure = null;
    for (T one : all) {
      try {
        action.accept(one);
      } catch (StoreException e) {
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
