// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.index.IndexKey;

/**
 * What one map output or entry of a log takes up, charged to its application until it is closed.
 * One thread at a time.
 */
final class SpaceCharge implements AutoCloseable {
  private final ApplicationSpaces spaces;
  private final long application;
  private final ApplicationSpace space;
  private long bytes;

  /** Charges nothing yet. */
  SpaceCharge(ApplicationSpaces spaces, String application) {
    this(spaces, IndexKey.hashOf(application), application);
  }

  /** The same for an application of which the hash is known, and {@code name} tells what is. */
  SpaceCharge(ApplicationSpaces spaces, long hash, String name) {
    this.spaces = spaces;
    this.application = hash;
    this.space = spaces.hold(hash, name);
  }

  /** Charges more, or throws as {@link ApplicationSpace#take}. */
  void take(long more) {
    space.take(more);
    bytes += more;
  }

  /** Bytes that could be charged now, until somebody else charges some. */
  long left() {
    return space.left();
  }

  /** Charges what recovery found. */
  void takeFound(long found) {
    space.takeFound(found);
    bytes += found;
  }

  /** Takes a part back. */
  void giveBack(long less) {
    space.giveBack(less);
    bytes -= less;
  }

  /** Takes all of it back: the space is free. */
  @Override
  public void close() {
    space.giveBack(bytes);
    bytes = 0;
    spaces.letGo(application);
  }
}
