// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

import java.nio.file.Path;
import java.util.Objects;

/**
 * How to open a device.
 *
 * @param directory where the software NIC keeps its segments: a file system in memory
 * @param carrier which carriers may be used
 */
public record DeviceOptions(Path directory, CarrierPolicy carrier) {
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
  }

  /** Segments in /dev/shm, best carrier. */
  public static DeviceOptions defaults() {
    return new DeviceOptions(Path.of("/dev/shm"), CarrierPolicy.AUTOMATIC);
  }

  /** The same with another policy. */
  public DeviceOptions withCarrier(CarrierPolicy policy) {
    return new DeviceOptions(directory, policy);
  }

  /** The same with another directory. */
  public DeviceOptions withDirectory(Path other) {
    return new DeviceOptions(other, carrier);
  }
}
