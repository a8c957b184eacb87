// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

/**
 * What one map output takes up, charged to its application until it is closed. One thread at a
 * time.
 */
final class SpaceCharge implements AutoCloseable {
  private final ApplicationSpaces spaces;
  private final String application;
  private final ApplicationSpace space;
  private long bytes;

  /** Charges nothing yet. */
  SpaceCharge(ApplicationSpaces spaces, String application) {
    this.spaces = spaces;
    this.application = application;
    this.space = spaces.hold(application);
  }

  /** Charges more, or throws as {@link ApplicationSpace#take}. */
  void take(long more) {
    space.take(more);
    bytes += more;
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
