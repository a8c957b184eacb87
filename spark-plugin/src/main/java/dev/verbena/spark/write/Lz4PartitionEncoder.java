// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.write;

import java.io.IOException;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.xxhash.XXHash32;

/**
 * Writes the format of lz4-java's {@code LZ4BlockOutputStream}, which Spark's lz4 codec reads,
 * without a stream, its buffers and its hash state for each partition: at a few hundred bytes a
 * block those cost more than the compression. Each round ends with the format's end mark;
 * concatenated streams are one stream to Spark's codec.
 */
final class Lz4PartitionEncoder implements PartitionEncoder {
  private final Lz4Tools tools;
  private final int blockSize;
  private final byte[] gathered;
  private int gatheredLength;
  private final byte[] encoded;
  private int encodedLength;

  Lz4PartitionEncoder(Lz4Tools tools) {
    this.tools = tools;
    this.blockSize = PartitionBuffers.LARGEST_CHUNK;
    this.gathered = new byte[blockSize];
    this.encoded =
        new byte[2 * Lz4BlockHeader.LENGTH + tools.compressor().maxCompressedLength(blockSize)];
  }

  @Override
  public void encode(int partition, PartitionBuffers records, boolean last, PieceSink sink)
      throws IOException {
    if (records.length(partition) == 0) {
      return;
    }
    records.drain(partition, (source, offset, length) -> take(source, offset, length, sink));
    block(gathered, 0, gatheredLength, sink);
    gatheredLength = 0;
    makeRoom(Lz4BlockHeader.LENGTH, sink);
    Lz4BlockHeader.writeEndMark(encoded, encodedLength, blockSize);
    encodedLength += Lz4BlockHeader.LENGTH;
    makeRoom(encoded.length, sink);
  }

  private void take(byte[] source, int offset, int length, PieceSink sink) throws IOException {
    if (length == blockSize) {
      block(gathered, 0, gatheredLength, sink);
      gatheredLength = 0;
      block(source, offset, length, sink);
      return;
    }
    int done = 0;
    while (done < length) {
      int run = Math.min(length - done, blockSize - gatheredLength);
      System.arraycopy(source, offset + done, gathered, gatheredLength, run);
      gatheredLength += run;
      done += run;
      if (gatheredLength == blockSize) {
        block(gathered, 0, blockSize, sink);
        gatheredLength = 0;
      }
    }
  }

  private void block(byte[] source, int offset, int length, PieceSink sink) throws IOException {
    if (length == 0) {
      return;
    }
    LZ4Compressor compressor = tools.compressor();
    makeRoom(Lz4BlockHeader.LENGTH + compressor.maxCompressedLength(length), sink);
    int body = encodedLength + Lz4BlockHeader.LENGTH;
    int compressed = compressor.compress(source, offset, length, encoded, body);
    boolean raw = compressed >= length;
    if (raw) {
      System.arraycopy(source, offset, encoded, body, length);
      compressed = length;
    }
    XXHash32 hash = tools.hash();
    int check = hash.hash(source, offset, length, Lz4BlockHeader.HASH_SEED);
    Lz4BlockHeader.write(encoded, encodedLength, raw, blockSize, compressed, length, check);
    encodedLength = body + compressed;
  }

  private void makeRoom(int length, PieceSink sink) throws IOException {
    if (encoded.length - encodedLength < length && encodedLength > 0) {
      sink.put(encoded, 0, encodedLength);
      encodedLength = 0;
    }
  }
}
