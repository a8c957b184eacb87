// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * A record's header.
 *
 * @param id what the record is
 * @param payloadBytes bytes of the payload
 * @param sequence ordinal within the pool, never used twice
 * @param payloadCrc CRC32C of the payload
 * @param chunks chunks of the extent
 */
public record RecordHeader(
    RecordId id, long payloadBytes, long sequence, int payloadCrc, int chunks) {

  /** The header of a record that takes as few chunks as it can. */
  public static RecordHeader of(RecordId id, long payloadBytes, long sequence, int payloadCrc) {
    int chunks = (int) RecordLayout.chunksFor(payloadBytes);
    return new RecordHeader(id, payloadBytes, sequence, payloadCrc, chunks);
  }

  /** Its {@link RecordLayout#HEADER_BYTES} bytes. */
  public byte[] encode() {
    byte[] bytes = new byte[RecordLayout.HEADER_BYTES];
    ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    header.putLong(RecordLayout.MAGIC_AT, RecordLayout.MAGIC);
    header.putLong(RecordLayout.LENGTH_AT, payloadBytes);
    header.putLong(RecordLayout.SEQUENCE_AT, sequence);
    header.putLong(RecordLayout.APPLICATION_AT, id.applicationHash());
    header.putLong(RecordLayout.MAP_ATTEMPT_AT, id.mapAttempt());
    header.putInt(RecordLayout.SHUFFLE_AT, id.shuffle());
    header.putInt(RecordLayout.KIND_AT, id.kind());
    header.putInt(RecordLayout.PAYLOAD_CRC_AT, payloadCrc);
    header.putInt(RecordLayout.CHUNKS_AT, chunks);
    header.putInt(RecordLayout.CRC_AT, crc(bytes));
    return bytes;
  }

  /** The publish word that belongs to this header. */
  public long publishWord() {
    return publishWordOf(encode());
  }

  /** The publish word that belongs to an encoded header. */
  public static long publishWordOf(byte[] encoded) {
    ByteBuffer header = ByteBuffer.wrap(encoded).order(ByteOrder.nativeOrder());
    return PoolLayout.publishWord(
        header.getLong(RecordLayout.SEQUENCE_AT), header.getInt(RecordLayout.CRC_AT));
  }

  /** The header in {@code bytes}, if its magic, its CRC and {@code publishWord} agree. */
  static Optional<RecordHeader> decode(byte[] bytes, long publishWord) {
    ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    long sequence = header.getLong(RecordLayout.SEQUENCE_AT);
    int crc = crc(bytes);
    if (header.getLong(RecordLayout.MAGIC_AT) != RecordLayout.MAGIC
        || header.getInt(RecordLayout.CRC_AT) != crc
        || PoolLayout.publishWord(sequence, crc) != publishWord) {
      return Optional.empty();
    }
    RecordId id =
        new RecordId(
            header.getInt(RecordLayout.KIND_AT),
            header.getLong(RecordLayout.APPLICATION_AT),
            header.getInt(RecordLayout.SHUFFLE_AT),
            header.getLong(RecordLayout.MAP_ATTEMPT_AT));
    return Optional.of(
        new RecordHeader(
            id,
            header.getLong(RecordLayout.LENGTH_AT),
            sequence,
            header.getInt(RecordLayout.PAYLOAD_CRC_AT),
            header.getInt(RecordLayout.CHUNKS_AT)));
  }

  /**
   * The payload in a copy of a whole record.
   *
   * @return empty unless the header, its publish word, the length and the payload agree
   */
  public static Optional<byte[]> intactPayload(byte[] record, long publishWord) {
    return decode(record, publishWord)
        .filter(header -> header.payloadBytes() == record.length - RecordLayout.HEADER_BYTES)
        .filter(
            header -> {
              CRC32C crc = new CRC32C();
              crc.update(record, RecordLayout.HEADER_BYTES, (int) header.payloadBytes());
              return header.payloadCrc() == (int) crc.getValue();
            })
        .map(header -> Arrays.copyOfRange(record, RecordLayout.HEADER_BYTES, record.length));
  }

  private static int crc(byte[] header) {
    CRC32C crc = new CRC32C();
    crc.update(header, 0, RecordLayout.CRC_AT);
    return (int) crc.getValue();
  }
}
