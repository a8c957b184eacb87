// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

import java.nio.file.Path;
import java.util.Objects;

/**
 * How to open a device.
 *
 * @param directory where the software NIC keeps its segments: a file system in memory
 * @param carrier which carriers may be used
 * @param faults what the software NIC is to do wrong, for tests; empty for nothing. A plan is items
 *     between semicolons, for example {@code seed 7; kill COPIED 3; link rate 1000000 delay 5ms};
 *     docs/faults.md has all of them
 * @param device name of one of the kernel's devices, "rxe0" say; empty for the first active one
 */
public record DeviceOptions(Path directory, CarrierPolicy carrier, String faults, String device) {
  /** Which carriers a connection may take. */
  public enum CarrierPolicy {
    /** The best that both ends can prove possible. */
    AUTOMATIC,
    /** tcp, also between processes of one host. */
    TCP_ONLY
  }

  /** Checks that nothing is missing. */
  public DeviceOptions {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(carrier, "carrier");
    Objects.requireNonNull(faults, "faults");
    Objects.requireNonNull(device, "device");
  }

  /** A device without faults. */
  public DeviceOptions(Path directory, CarrierPolicy carrier) {
    this(directory, carrier, "", "");
  }

  /** Segments in /dev/shm, best carrier. */
  public static DeviceOptions defaults() {
    return new DeviceOptions(Path.of("/dev/shm"), CarrierPolicy.AUTOMATIC);
  }

  /** The same with another policy. */
  public DeviceOptions withCarrier(CarrierPolicy policy) {
    return new DeviceOptions(directory, policy, faults, device);
  }

  /** The same with another directory. */
  public DeviceOptions withDirectory(Path other) {
    return new DeviceOptions(other, carrier, faults, device);
  }

  /** The same with faults; what a plan has spelled wrongly fails when the device is opened. */
  public DeviceOptions withFaults(String plan) {
    return new DeviceOptions(directory, carrier, plan, device);
  }

  /** The same with another of the kernel's devices. */
  public DeviceOptions withDevice(String name) {
    return new DeviceOptions(directory, carrier, faults, name);
  }
}
