// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import java.util.ArrayDeque;

/**
 * Holds the frames of one direction of a link back until a {@link LinkModel} lets them arrive. Used
 * under the writer's claim; the clock is the caller's.
 */
final class FramePace {
  private final LinkModel model;
  private final ArrayDeque<Held> held = new ArrayDeque<>();
  private int passable;

  private record Held(int bytes, long arrival) {}

  private FramePace(LinkModel model) {
    this.model = model;
  }

  /** Null if there is no model. */
  static FramePace of(LinkModel model) {
    return model == null ? null : new FramePace(model);
  }

  void add(int bytes, long now) {
    held.add(new Held(bytes, model.arrival(bytes, now)));
  }

  /** Bytes that may go out now. */
  int passable(long now) {
    while (!held.isEmpty() && held.peek().arrival() - now <= 0) {
      passable += held.remove().bytes();
    }
    return passable;
  }

  void wrote(int bytes) {
    passable -= bytes;
  }

  /** Until the next frame may go out; 0 if one may now, or there is none. */
  long heldNanos(long now) {
    return passable > 0 || held.isEmpty() ? 0 : Math.max(0, held.peek().arrival() - now);
  }
}
