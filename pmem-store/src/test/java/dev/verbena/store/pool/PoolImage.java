// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/** A pool file as bytes, looked at without opening it. */
public final class PoolImage {
  private final byte[] bytes;
  private final ByteBuffer words;

  /** Wraps the bytes of a file. */
  public PoolImage(byte[] bytes) {
    this.bytes = bytes;
    this.words = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
  }

  /** Offsets of the publish words that stand over a record which is not intact. */
  public List<Long> wordsOverNothing() {
    List<Long> found = new ArrayList<>();
    if (PoolHeader.isUnfinished(Arrays.copyOf(bytes, PoolLayout.HEADER_BYTES))) {
      return found;
    }
    for (int chunk = 0; chunk < chunks(); chunk++) {
      int at = (int) PoolLayout.TABLE_START + chunk * PoolLayout.WORD_BYTES;
      long word = words.getLong(at);
      if (word != 0 && recordAt(chunkOffset(chunk), word).isEmpty()) {
        found.add((long) at);
      }
    }
    return found;
  }

  /** The payload of the record at an offset, if word, header and payload agree. */
  public Optional<byte[]> recordAt(long offset, long word) {
    int from = (int) offset;
    byte[] header = Arrays.copyOfRange(bytes, from, from + RecordLayout.HEADER_BYTES);
    return RecordHeader.decode(header, word)
        .flatMap(
            found -> {
              int start = from + RecordLayout.HEADER_BYTES;
              if (found.payloadBytes() < 0 || found.payloadBytes() > bytes.length - start) {
                return Optional.empty();
              }
              byte[] payload = Arrays.copyOfRange(bytes, start, start + (int) found.payloadBytes());
              CRC32C crc = new CRC32C();
              crc.update(payload, 0, payload.length);
              return (int) crc.getValue() == found.payloadCrc()
                  ? Optional.of(payload)
                  : Optional.empty();
            });
  }

  /** The chunks that published records take up; each of them must be intact. */
  public BitSet published() {
    BitSet taken = new BitSet();
    for (int chunk = 0; chunk < chunks(); chunk++) {
      long word = words.getLong((int) PoolLayout.TABLE_START + chunk * PoolLayout.WORD_BYTES);
      if (word != 0) {
        byte[] header = range(chunkOffset(chunk), RecordLayout.HEADER_BYTES);
        int count = RecordHeader.decode(header, word).orElseThrow().chunks();
        if (!taken.get(chunk, chunk + count).isEmpty()) {
          throw new IllegalStateException("two records at chunk " + chunk);
        }
        taken.set(chunk, chunk + count);
      }
    }
    return taken;
  }

  /** Chunks of the pool. */
  public int chunks() {
    return (int) PoolLayout.chunksIn(bytes.length);
  }

  /** The chunk that holds the record whose payload starts at an offset. */
  public int chunkOfPayload(long payload) {
    return (int) ((payload - RecordLayout.HEADER_BYTES - chunkOffset(0)) / PoolLayout.CHUNK_BYTES);
  }

  /** Chunks that a record with a payload of that many bytes takes up. */
  public static int chunksFor(long payloadBytes) {
    return (int) RecordLayout.chunksFor(payloadBytes);
  }

  /** Bytes of payload in that many bytes of chunks, if each holds a record of its own. */
  public static long payloadIn(long bytes) {
    return bytes / PoolLayout.CHUNK_BYTES * (PoolLayout.CHUNK_BYTES - RecordLayout.HEADER_BYTES);
  }

  /** The word at an offset. */
  public long word(long offset) {
    return words.getLong((int) offset);
  }

  /** The publish word of the record at an offset. */
  public long publishWordOf(long record) {
    long chunk = (record - chunkOffset(0)) / PoolLayout.CHUNK_BYTES;
    return word(PoolLayout.TABLE_START + chunk * PoolLayout.WORD_BYTES);
  }

  /** A copy of a range. */
  public byte[] range(long offset, int length) {
    return Arrays.copyOfRange(bytes, (int) offset, (int) offset + length);
  }

  /** Whether a publish word stands at that offset of a file of that size. */
  public static boolean isPublishWord(long fileBytes, long offset) {
    long end = PoolLayout.TABLE_START + PoolLayout.chunksIn(fileBytes) * PoolLayout.WORD_BYTES;
    return offset >= PoolLayout.TABLE_START && offset < end;
  }

  /** The low half of the sequence, which a publish word holds. */
  public static long sequenceIn(long publishWord) {
    return publishWord >>> Integer.SIZE;
  }

  private long chunkOffset(int chunk) {
    return PoolLayout.chunksStart(PoolLayout.chunksIn(bytes.length))
        + (long) chunk * PoolLayout.CHUNK_BYTES;
  }
}
