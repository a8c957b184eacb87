// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.VerbsProvider;

/** Opens the device that the options name. */
final class Devices {
  private Devices() {}

  static Device open(ServeOptions options) {
    DeviceOptions.CarrierPolicy carrier =
        options.tcpOnly()
            ? DeviceOptions.CarrierPolicy.TCP_ONLY
            : DeviceOptions.CarrierPolicy.AUTOMATIC;
    return VerbsProvider.named(options.provider())
        .open(
            DeviceOptions.defaults().withDirectory(options.deviceDirectory()).withCarrier(carrier));
  }
}
