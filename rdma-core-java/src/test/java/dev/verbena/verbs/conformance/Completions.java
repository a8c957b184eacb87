// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import dev.verbena.testing.Await;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.WorkCompletion;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Takes completions out of a queue, one at a time. For one thread. */
final class Completions {
  private final CompletionQueue queue;
  private final WorkCompletion[] batch = WorkCompletion.array(8);
  private final Deque<Completion> taken = new ArrayDeque<>();

  Completions(CompletionQueue queue) {
    this.queue = queue;
  }

  CompletionQueue queue() {
    return queue;
  }

  /** The next completion, awaited. */
  Completion next() {
    Await.until("a completion", this::poll);
    return taken.remove();
  }

  /** The next {@code count} completions, awaited. */
  List<Completion> next(int count) {
    List<Completion> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(next());
    }
    return all;
  }

  /** All that is there now. */
  List<Completion> available() {
    List<Completion> all = new ArrayList<>();
    while (poll()) {
      all.add(taken.remove());
    }
    return all;
  }

  /** Looks for more; whether there is one to take. */
  boolean poll() {
    if (taken.isEmpty()) {
      int count = queue.poll(batch);
      for (int i = 0; i < count; i++) {
        taken.add(Completion.of(batch[i]));
      }
    }
    return !taken.isEmpty();
  }
}
