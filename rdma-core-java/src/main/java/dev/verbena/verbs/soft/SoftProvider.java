// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.VerbsProvider;
import java.util.Optional;

/** The software NIC, which every machine with a JVM has. */
public final class SoftProvider implements VerbsProvider {
  @Override
  public String name() {
    return "soft";
  }

  @Override
  public boolean hasKernelDevices() {
    return false;
  }

  @Override
  public Optional<String> unavailabilityCause() {
    return Optional.empty();
  }

  @Override
  public Device open(DeviceOptions options) {
    return SoftDevice.open(options);
  }
}
