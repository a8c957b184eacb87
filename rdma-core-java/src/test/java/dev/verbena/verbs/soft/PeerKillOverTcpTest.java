// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import java.util.EnumSet;

/** Peers killed over carrier tcp. */
final class PeerKillOverTcpTest extends PeerKillSuite {
  PeerKillOverTcpTest() {
    super(
        CarrierPolicy.TCP_ONLY,
        EnumSet.of(
            FaultStep.PARTLY_COPIED,
            FaultStep.WOKEN,
            FaultStep.FLUSH_ASKED,
            FaultStep.ERRAND_ASKED,
            FaultStep.ERRAND_TAKEN,
            FaultStep.ERRAND_DONE,
            FaultStep.ANSWER_WRITTEN));
  }
}
