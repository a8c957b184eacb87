// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.VerbsProvider;
import java.nio.file.Path;
import java.util.function.Function;

/** Opens the devices that options name. */
public final class Devices {
  private Devices() {}

  /**
   * Opens the device and makes what works with it, which then closes it.
   *
   * @throws dev.verbena.verbs.VerbsException if the device can't be had, or what {@code make}
   *     throws, after the device was closed
   */
  static <T> T with(ServeOptions options, Function<Device, T> make) {
    Device device = open(options);
    boolean made = false;
    try {
      T user = make.apply(device);
      made = true;
      return user;
    } finally {
      if (!made) {
        device.close();
      }
    }
  }

  static Device open(ServeOptions options) {
    return open(options.provider(), options.deviceDirectory(), options.tcpOnly());
  }

  /**
   * Opens a device.
   *
   * @param provider its provider, maybe with a device: "soft", "rdmacore:mlx5_0"
   * @param directory where a software device keeps its segments
   * @param tcpOnly whether the carrier tcp is used between processes of one host too
   * @throws dev.verbena.verbs.VerbsException if the device can't be had
   */
  public static Device open(String provider, Path directory, boolean tcpOnly) {
    CarrierPolicy carrier = tcpOnly ? CarrierPolicy.TCP_ONLY : CarrierPolicy.AUTOMATIC;
    return VerbsProvider.openDevice(provider, new DeviceOptions(directory, carrier));
  }

  /** Whether a provider, or a provider and one of its devices, is of the kernel's devices. */
  static boolean areKernels(String provider) {
    int colon = provider.indexOf(':');
    return colon != provider.length() - 1
        && VerbsProvider.find(colon < 0 ? provider : provider.substring(0, colon))
            .filter(VerbsProvider::hasKernelDevices)
            .isPresent();
  }
}
