// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import java.util.zip.CRC32C;

/** CRC32C of mapped bytes, taken on a copy: a checksum over a truncated mapping kills the JVM. */
final class RecordCrc {
  private static final int STEP_BYTES = 64 << 10;

  private RecordCrc() {}

  /** The CRC32C of {@code length} bytes at {@code offset}. */
  static int of(Pool pool, long offset, long length) {
    byte[] step = new byte[(int) Math.min(length, STEP_BYTES)];
    CRC32C crc = new CRC32C();
    for (long done = 0; done < length; ) {
      int run = (int) Math.min(step.length, length - done);
      pool.read(offset + done, step, 0, run);
      crc.update(step, 0, run);
      done += run;
    }
    return (int) crc.getValue();
  }
}
