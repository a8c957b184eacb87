// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.apache.spark.SparkConf;
import org.apache.spark.io.LZ4CompressionCodec;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class Lz4PartitionEncoderTest {
  private final LZ4CompressionCodec codec = new LZ4CompressionCodec(new SparkConf(false));
  private final Lz4PartitionEncoder encoder = new Lz4PartitionEncoder(Lz4Tools.fastest());
  private final PartitionBuffers buffers =
      new PartitionBuffers(
          new TaskMemoryManager(new UnifiedMemoryManager(new SparkConf(false), 64 << 20, 0, 1), 0),
          1,
          32 << 20,
          () -> {});

  @ParameterizedTest
  @ValueSource(ints = {1, 40, 156, 255, 257, 32_767, 32_768, 32_769, 100_000, 1_000_000})
  void sparksCodecReadsIt(int length) throws IOException {
    byte[] compressible = new byte[length];
    for (int i = 0; i < length; i++) {
      compressible[i] = (byte) (i / 50);
    }
    assertThat(decode(encode(compressible))).isEqualTo(compressible);
    byte[] noise = new byte[length];
    new Random(3).nextBytes(noise);
    assertThat(decode(encode(noise))).isEqualTo(noise);
  }

  @Test
  void aSmallPartitionIsByteForByteWhatSparksCodecWrites() throws IOException {
    byte[] record =
        "a small block of a few records, a small block of a few records"
            .getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream sparks = new ByteArrayOutputStream();
    try (OutputStream out = codec.compressedOutputStream(sparks)) {
      out.write(record);
    }
    assertThat(encode(record)).isEqualTo(sparks.toByteArray());
  }

  @Test
  void roundsOfOnePartitionAreReadAsOneStream() throws IOException {
    ByteArrayOutputStream both = new ByteArrayOutputStream();
    both.write(encode(new byte[] {1, 2, 3}));
    both.write(encode(new byte[] {4, 5}));
    assertThat(decode(both.toByteArray())).containsExactly(1, 2, 3, 4, 5);
  }

  @Test
  void anEmptyPartitionHasNoBytes() throws IOException {
    ByteArrayOutputStream encoded = new ByteArrayOutputStream();
    encoder.encode(0, buffers, true, encoded::write);
    assertThat(encoded.toByteArray()).isEmpty();
  }

  private byte[] encode(byte[] bytes) throws IOException {
    PartitionBuffers fresh =
        new PartitionBuffers(
            new TaskMemoryManager(
                new UnifiedMemoryManager(new SparkConf(false), 64 << 20, 0, 1), 0),
            1,
            32 << 20,
            () -> {});
    int done = 0;
    while (done < bytes.length) {
      int run = Math.min(700, bytes.length - done);
      fresh.insert(0, java.util.Arrays.copyOfRange(bytes, done, done + run), run);
      done += run;
    }
    ByteArrayOutputStream encoded = new ByteArrayOutputStream();
    encoder.encode(0, fresh, true, encoded::write);
    return encoded.toByteArray();
  }

  private byte[] decode(byte[] encoded) throws IOException {
    try (InputStream in = codec.compressedInputStream(new ByteArrayInputStream(encoded))) {
      return in.readAllBytes();
    }
  }
}
