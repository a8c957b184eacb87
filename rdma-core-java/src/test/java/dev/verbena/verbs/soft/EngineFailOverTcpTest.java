// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.DeviceOptions.CarrierPolicy;

/** Steps that fail over carrier tcp. */
final class EngineFailOverTcpTest extends EngineFailSuite {
  EngineFailOverTcpTest() {
    super(CarrierPolicy.TCP_ONLY);
  }
}
