// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.DeviceOptions.CarrierPolicy;

/** Steps that fail over carrier shm. */
final class EngineFailOverShmTest extends EngineFailSuite {
  EngineFailOverShmTest() {
    super(CarrierPolicy.AUTOMATIC);
  }
}
