// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.VerbsProvider;
import java.nio.file.Path;

/** The software NIC over carrier tcp. */
public final class SoftTcp implements VerbsUnderTest {
  /** Creates the provider under test. */
  public SoftTcp() {}

  @Override
  public Device open(Path directory) {
    return VerbsProvider.named("soft")
        .open(
            DeviceOptions.defaults().withDirectory(directory).withCarrier(CarrierPolicy.TCP_ONLY));
  }

  @Override
  public String carrier() {
    return "tcp";
  }
}
