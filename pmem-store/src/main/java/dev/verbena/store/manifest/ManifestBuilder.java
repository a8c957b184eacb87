// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.manifest;

import dev.verbena.store.StoreException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Lays out a manifest. One thread. */
public final class ManifestBuilder {
  private final String application;
  private final int partitions;
  private final List<Segment> segments = new ArrayList<>();
  private final List<long[]> offsetsOf = new ArrayList<>();

  /** Starts a manifest. */
  public ManifestBuilder(String application, int partitions) {
    this.application = application;
    this.partitions = partitions;
  }

  /** Lists a segment behind those before; {@code offsets} has an entry more than it covers. */
  public void add(Segment segment, long[] offsets) {
    if (offsets.length != segment.count() + 1) {
      throw new IllegalArgumentException(
          offsets.length + " offsets for " + segment.count() + " partitions");
    }
    segments.add(segment);
    offsetsOf.add(offsets);
  }

  /** The manifest's bytes. */
  public byte[] build(long[] checksums) {
    byte[] name = application.getBytes(StandardCharsets.UTF_8);
    long length = ManifestLayout.entryAt(segments.size()) + name.length;
    length += (long) checksums.length * Long.BYTES;
    long blockBytes = 0;
    for (int i = 0; i < segments.size(); i++) {
      length += (long) offsetsOf.get(i).length * Long.BYTES;
      blockBytes += segments.get(i).length();
    }
    if (length > Integer.MAX_VALUE - Long.BYTES) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          "manifest of "
              + length
              + " bytes: "
              + partitions
              + " partitions in "
              + segments.size()
              + " segments are too many");
    }
    byte[] bytes = new byte[(int) length];
    ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    out.putInt(ManifestLayout.VERSION_AT, ManifestLayout.VERSION);
    out.putInt(ManifestLayout.PARTITIONS_AT, partitions);
    out.putInt(ManifestLayout.SEGMENTS_AT, segments.size());
    out.putInt(ManifestLayout.CHECKSUMS_AT, checksums.length);
    out.putLong(ManifestLayout.BLOCK_BYTES_AT, blockBytes);
    out.putInt(ManifestLayout.APPLICATION_BYTES_AT, name.length);
    int at = (int) ManifestLayout.entryAt(segments.size());
    for (int i = 0; i < segments.size(); i++) {
      putEntry(out, (int) ManifestLayout.entryAt(i), segments.get(i), at);
      at = putWords(out, at, offsetsOf.get(i));
    }
    at = putWords(out, at, checksums);
    out.put(at, name);
    return bytes;
  }

  private static void putEntry(ByteBuffer out, int entry, Segment segment, int offsetsAt) {
    out.putLong(entry + ManifestLayout.ENTRY_RECORD_AT, segment.record());
    out.putLong(entry + ManifestLayout.ENTRY_WORD_LOCATION_AT, segment.wordLocation());
    out.putLong(entry + ManifestLayout.ENTRY_WORD_AT, segment.publishWord());
    out.putLong(entry + ManifestLayout.ENTRY_LENGTH_AT, segment.length());
    out.putInt(entry + ManifestLayout.ENTRY_FIRST_AT, segment.first());
    out.putInt(entry + ManifestLayout.ENTRY_COUNT_AT, segment.count());
    out.putLong(entry + ManifestLayout.ENTRY_OFFSETS_AT, offsetsAt);
  }

  private static int putWords(ByteBuffer out, int at, long[] words) {
    int next = at;
    for (long word : words) {
      out.putLong(next, word);
      next += Long.BYTES;
    }
    return next;
  }
}
