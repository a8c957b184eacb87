// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.VerbsProvider;
import java.nio.file.Path;

/** What a suite runs over. */
enum Carrier {
  SHM("shm", CarrierPolicy.AUTOMATIC),
  TCP("tcp", CarrierPolicy.TCP_ONLY);

  private final String label;
  private final CarrierPolicy policy;

  Carrier(String label, CarrierPolicy policy) {
    this.label = label;
    this.policy = policy;
  }

  /** What connections must say they run over. */
  String label() {
    return label;
  }

  Device open(Path directory) {
    return VerbsProvider.named("soft")
        .open(DeviceOptions.defaults().withDirectory(directory).withCarrier(policy));
  }
}
