// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import static dev.verbena.store.local.StoreFixture.key;
import static dev.verbena.store.local.StoreFixture.options;
import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.StoredMapOutput;
import dev.verbena.store.TierOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class LargeBlockTest {
  private static final long GIB = 1L << 30;
  private static final long BLOCK = 5 * GIB / 2;

  @TempDir Path directory;

  @Test
  void aBlockAboveTwoGibibytesIsWrittenAndReadAsOne() throws IOException {
    TierOptions files = TierOptions.file(directory.resolve("f"), 3 * GIB, 3 * GIB);
    byte[] step = StoreFixture.bytes(1 << 20, 1);
    CRC32 written = new CRC32();
    try (LocalBlockStore store = LocalBlockStore.open(options(files))) {
      try (MapOutputWriter writer = store.openMapOutput(key(1), 3)) {
        writer.append(0, step, 0, 10);
        for (long done = 0; done < BLOCK; done += step.length) {
          step[(int) (done >>> 20) % step.length]++;
          writer.append(1, step, 0, step.length);
          written.update(step);
        }
        writer.append(2, step, 0, 20);
        writer.commit(new long[0]);
      }
      try (StoredMapOutput output = store.find(key(1)).orElseThrow();
          InputStream in = output.open(1, 2)) {
        assertThat(output.partitionLengths()).containsExactly(10, BLOCK, 20);
        CRC32 read = new CRC32();
        byte[] piece = new byte[1 << 16];
        for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
          read.update(piece, 0, n);
        }
        assertThat(read.getValue()).isEqualTo(written.getValue());
      }
    }
  }
}
