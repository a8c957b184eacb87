// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture.offender.store;

import java.util.zip.CRC32C;

/** Keeps the rule that checksums run on copies. */
public final class ChecksumOfACopy {
  private ChecksumOfACopy() {}

  /** The checksum of bytes on the heap. */
  public static long of(byte[] copy) {
    CRC32C crc = new CRC32C();
    crc.update(copy, 0, copy.length);
    return crc.getValue();
  }
}
