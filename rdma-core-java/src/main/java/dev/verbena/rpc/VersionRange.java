// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

/**
 * The protocol versions that an end speaks: the newest and, once there are two, the one before.
 *
 * @param oldest lowest, at least 1
 * @param newest highest, at most 255
 */
record VersionRange(int oldest, int newest) {
  /** What this code speaks. */
  static final VersionRange SUPPORTED = new VersionRange(1, 1);

  /** The newest that both speak; 0 if there is none. */
  int agree(VersionRange other) {
    int best = Math.min(newest, other.newest);
    return best >= Math.max(1, Math.max(oldest, other.oldest)) ? best : 0;
  }

  @Override
  public String toString() {
    return oldest == newest ? Integer.toString(oldest) : oldest + " to " + newest;
  }
}
