// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import java.util.EnumSet;

/** Peers killed over carrier shm. */
final class PeerKillOverShmTest extends PeerKillSuite {
  PeerKillOverShmTest() {
    super(
        CarrierPolicy.AUTOMATIC,
        EnumSet.of(
            FaultStep.FRAME_BUILT,
            FaultStep.FRAME_SENT,
            FaultStep.FRAME_RECEIVED,
            FaultStep.EXECUTED,
            FaultStep.ANSWERED,
            FaultStep.ANSWER_TAKEN));
  }
}
