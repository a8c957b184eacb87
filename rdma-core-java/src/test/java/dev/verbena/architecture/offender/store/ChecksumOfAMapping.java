// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture.offender.store;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Breaks the rule that checksums run on copies. */
public final class ChecksumOfAMapping {
  private ChecksumOfAMapping() {}

  /** The checksum of memory that may vanish meanwhile. */
  public static long of(ByteBuffer mapping) {
    CRC32C crc = new CRC32C();
    crc.update(mapping);
    return crc.getValue();
  }
}
