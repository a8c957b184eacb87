// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import java.security.SecureRandom;

/** 128 random bits drawn when a device opens: a device that comes back is another one. */
record Incarnation(long high, long low) {

  static Incarnation draw(SecureRandom random) {
    return new Incarnation(random.nextLong(), random.nextLong());
  }

  static Incarnation readFrom(MappedMemory deviceArea) {
    return new Incarnation(
        deviceArea.getLong(DeviceAreaLayout.INCARNATION_HIGH_OFFSET),
        deviceArea.getLong(DeviceAreaLayout.INCARNATION_LOW_OFFSET));
  }

  void writeTo(MappedMemory deviceArea) {
    deviceArea.putLong(DeviceAreaLayout.INCARNATION_HIGH_OFFSET, high);
    deviceArea.putLong(DeviceAreaLayout.INCARNATION_LOW_OFFSET, low);
  }

  @Override
  public String toString() {
    return Long.toHexString(high);
  }
}
