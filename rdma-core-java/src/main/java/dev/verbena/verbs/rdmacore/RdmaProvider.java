// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.jni.NativeLibrary;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.VerbsProvider;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Devices that the kernel drives: cards, and soft-RoCE. */
public final class RdmaProvider implements VerbsProvider {
  @Override
  public String name() {
    return "rdmacore";
  }

  @Override
  public boolean hasKernelDevices() {
    return true;
  }

  @Override
  public Optional<String> unavailabilityCause() {
    return NativeLibrary.problem()
        .or(ExpectedStructures::mismatch)
        .or(() -> Optional.ofNullable(Native.unavailable()));
  }

  @Override
  public Device open(DeviceOptions options) {
    unavailabilityCause()
        .ifPresent(
            cause -> {
              throw new VerbsException(VerbsException.Code.UNAVAILABLE, cause);
            });
    if (options.carrier() != DeviceOptions.CarrierPolicy.AUTOMATIC || !options.faults().isEmpty()) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "a device of the kernel has neither another carrier nor faults, asked for " + options);
    }
    ByteBuffer told = NativeMemory.buffer(DeviceInfoLayout.SIZE);
    String wanted = options.device().isEmpty() ? "the first active device" : options.device();
    long handle =
        Failures.check(
            Native.deviceOpen(options.device(), NativeMemory.address(told)), "opening " + wanted);
    RdmaDevice device = null;
    try {
      DeviceInfo info = DeviceInfo.read(told);
      if (!info.isInfiniBand()) {
        throw new VerbsException(
            VerbsException.Code.UNAVAILABLE,
            info.name() + " speaks iWARP; only InfiniBand and RoCE are supported");
      }
      device = new RdmaDevice(handle, info);
      device.start();
      return device;
    } finally {
      if (device == null) {
        Native.deviceClose(handle);
      }
    }
  }
}
