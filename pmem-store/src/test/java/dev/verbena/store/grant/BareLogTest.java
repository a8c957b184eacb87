// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.memory.DurabilityMethod;

/** On a device without windows, FLUSH and ATOMIC_WRITE: a region a key, READs, inline WRITEs. */
class BareLogTest extends LogContract {
  @Override
  boolean tcpOnly() {
    return false;
  }

  @Override
  String carrier() {
    return "shm";
  }

  @Override
  String provider() {
    return BareProvider.NAME;
  }

  @Override
  DurabilityMethod method() {
    return DurabilityMethod.READ_AFTER_WRITE;
  }
}
