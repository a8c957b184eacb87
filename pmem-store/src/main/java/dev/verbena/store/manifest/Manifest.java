// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.manifest;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreException;
import dev.verbena.store.pool.RecordLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A manifest, read in place. It may be a peer's: every count, position and offset is checked before
 * it is used, and what does not add up is a {@link StoreException} CORRUPT. Immutable as long as
 * the bytes are; thread-safe.
 */
public final class Manifest {
  private final ManifestBytes bytes;
  private final int partitions;
  private final int segments;
  private final int checksums;
  private final long checksumsAt;
  private final long applicationAt;
  private final int applicationBytes;

  private Manifest(ManifestBytes bytes) {
    this.bytes = bytes;
    check(bytes.length() >= ManifestLayout.HEADER_BYTES, "length", bytes.length());
    check(
        bytes.getInt(ManifestLayout.VERSION_AT) == ManifestLayout.VERSION,
        "version",
        bytes.getInt(ManifestLayout.VERSION_AT));
    partitions = bytes.getInt(ManifestLayout.PARTITIONS_AT);
    check(partitions > 0, "partitions", partitions);
    segments = bytes.getInt(ManifestLayout.SEGMENTS_AT);
    check(segments >= 0, "segments", segments);
    checksums = bytes.getInt(ManifestLayout.CHECKSUMS_AT);
    check(checksums == 0 || checksums == partitions, "checksums", checksums);
    applicationBytes = bytes.getInt(ManifestLayout.APPLICATION_BYTES_AT);
    check(
        applicationBytes > 0 && applicationBytes <= MapOutputKey.MAX_APPLICATION_BYTES,
        "bytes of the application id",
        applicationBytes);
    long at = ManifestLayout.entryAt(segments);
    check(at <= bytes.length(), "segments", segments);
    for (int i = 0; i < segments; i++) {
      at = checkEntry(i, at);
    }
    checksumsAt = at;
    applicationAt = at + (long) checksums * Long.BYTES;
    check(applicationAt + applicationBytes == bytes.length(), "length", bytes.length());
  }

  /**
   * Reads a manifest.
   *
   * @throws StoreException CORRUPT if it is none
   */
  public static Manifest read(ManifestBytes bytes) {
    return bytes.guarded(() -> new Manifest(bytes));
  }

  private long checkEntry(int index, long offsetsAt) {
    long entry = ManifestLayout.entryAt(index);
    int first = bytes.getInt(entry + ManifestLayout.ENTRY_FIRST_AT);
    int count = bytes.getInt(entry + ManifestLayout.ENTRY_COUNT_AT);
    check(first >= 0 && first < partitions, "first partition of a segment", first);
    check(count > 0 && count <= partitions - first, "partitions of a segment", count);
    check(
        bytes.getLong(entry + ManifestLayout.ENTRY_OFFSETS_AT) == offsetsAt,
        "position of offsets",
        bytes.getLong(entry + ManifestLayout.ENTRY_OFFSETS_AT));
    long end = offsetsAt + (count + 1L) * Long.BYTES;
    check(end <= bytes.length(), "partitions of a segment", count);
    long length = bytes.getLong(entry + ManifestLayout.ENTRY_LENGTH_AT);
    check(length >= 0, "length of a segment", length);
    return end;
  }

  /** The application's id. */
  public String application() {
    return bytes.guarded(() -> bytes.getString(applicationAt, applicationBytes));
  }

  /** Number of partitions. */
  public int partitions() {
    return partitions;
  }

  /** Number of segments. */
  public int segments() {
    return segments;
  }

  /** Bytes of all blocks. */
  public long blockBytes() {
    return bytes.guarded(() -> bytes.getLong(ManifestLayout.BLOCK_BYTES_AT));
  }

  /** Bytes of the manifest itself. */
  public long length() {
    return bytes.length();
  }

  /** A segment's entry. */
  public Segment segment(int index) {
    return bytes.guarded(() -> segmentUnguarded(index));
  }

  private Segment segmentUnguarded(int index) {
    Objects.checkIndex(index, segments);
    long entry = ManifestLayout.entryAt(index);
    return new Segment(
        bytes.getLong(entry + ManifestLayout.ENTRY_RECORD_AT),
        bytes.getLong(entry + ManifestLayout.ENTRY_WORD_LOCATION_AT),
        bytes.getLong(entry + ManifestLayout.ENTRY_WORD_AT),
        bytes.getLong(entry + ManifestLayout.ENTRY_LENGTH_AT),
        bytes.getInt(entry + ManifestLayout.ENTRY_FIRST_AT),
        bytes.getInt(entry + ManifestLayout.ENTRY_COUNT_AT));
  }

  /** The checksums, a copy; empty if there are none. */
  public long[] checksums() {
    return bytes.guarded(() -> checksumsUnguarded());
  }

  private long[] checksumsUnguarded() {
    long[] copy = new long[checksums];
    for (int i = 0; i < copy.length; i++) {
      copy[i] = bytes.getLong(checksumsAt + (long) i * Long.BYTES);
    }
    return copy;
  }

  /** Bytes of the partitions from {@code first} to before {@code end}. */
  public long rangeLength(int first, int end) {
    return bytes.guarded(() -> rangeLengthUnguarded(first, end));
  }

  private long rangeLengthUnguarded(int first, int end) {
    Objects.checkFromToIndex(first, end, partitions);
    long sum = 0;
    for (int i = 0; i < segments; i++) {
      Piece piece = piece(i, first, end);
      sum += piece == null ? 0 : piece.length();
    }
    return sum;
  }

  /** Where the partitions from {@code first} to before {@code end} lie, in order. */
  public List<Piece> pieces(int first, int end) {
    return bytes.guarded(() -> piecesUnguarded(first, end));
  }

  private List<Piece> piecesUnguarded(int first, int end) {
    Objects.checkFromToIndex(first, end, partitions);
    List<Piece> pieces = new ArrayList<>(Math.min(segments, 16));
    for (int i = 0; i < segments; i++) {
      Piece piece = piece(i, first, end);
      if (piece != null) {
        pieces.add(piece);
      }
    }
    return pieces;
  }

  /** Bytes of each partition. */
  public long[] partitionLengths() {
    return bytes.guarded(() -> partitionLengthsUnguarded());
  }

  private long[] partitionLengthsUnguarded() {
    long[] lengths = new long[partitions];
    for (int i = 0; i < segments; i++) {
      Segment segment = segmentUnguarded(i);
      for (int p = 0; p < segment.count(); p++) {
        Piece piece = piece(i, segment.first() + p, segment.first() + p + 1);
        lengths[segment.first() + p] += piece == null ? 0 : piece.length();
      }
    }
    return lengths;
  }

  /** What segment {@code index} holds of a range; null if nothing. */
  private Piece piece(int index, int first, int end) {
    long entry = ManifestLayout.entryAt(index);
    int covered = bytes.getInt(entry + ManifestLayout.ENTRY_FIRST_AT);
    int count = bytes.getInt(entry + ManifestLayout.ENTRY_COUNT_AT);
    int from = Math.max(first, covered) - covered;
    int to = Math.min(end - covered, count);
    if (from >= to) {
      return null;
    }
    long offsets = bytes.getLong(entry + ManifestLayout.ENTRY_OFFSETS_AT);
    long start = bytes.getLong(offsets + (long) from * Long.BYTES);
    long stop = bytes.getLong(offsets + (long) to * Long.BYTES);
    long length = bytes.getLong(entry + ManifestLayout.ENTRY_LENGTH_AT);
    check(start >= 0 && stop >= start && stop <= length, "end of a block", stop);
    return start == stop ? null : new Piece(index, start, stop - start);
  }

  /** Where the payload of a record begins. */
  public static long payloadLocation(long record) {
    return record + RecordLayout.HEADER_BYTES;
  }

  private static void check(boolean holds, String what, long found) {
    if (!holds) {
      throw new StoreException(
          StoreException.Code.CORRUPT, "manifest: " + what + " is " + found + ", which can't be");
    }
  }
}
