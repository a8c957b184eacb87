// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.store.StoreException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ManifestTest {
  private static final Segment FIRST = new Segment(4096, 64, 9, 30, 0, 3);
  private static final Segment SECOND = new Segment(8192, 72, 11, 12, 2, 2);

  @Test
  void aBlockIsWhatItsSegmentsHoldOfIt() {
    Manifest manifest = read(build(7, 8, 9, 10));

    assertThat(manifest.application()).isEqualTo("app");
    assertThat(manifest.partitions()).isEqualTo(4);
    assertThat(manifest.segment(1)).isEqualTo(SECOND);
    assertThat(manifest.blockBytes()).isEqualTo(42);
    assertThat(manifest.partitionLengths()).containsExactly(10, 0, 25, 7);
    assertThat(manifest.checksums()).containsExactly(7, 8, 9, 10);
    assertThat(manifest.pieces(2, 3)).containsExactly(new Piece(0, 10, 20), new Piece(1, 0, 5));
    assertThat(manifest.pieces(0, 4)).containsExactly(new Piece(0, 0, 30), new Piece(1, 0, 12));
    assertThat(manifest.pieces(1, 2)).isEmpty();
    assertThat(manifest.rangeLength(1, 4)).isEqualTo(32);
    assertThatThrownBy(() -> manifest.pieces(3, 5)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void countsThatCanNotBeAreRefused() {
    refused(ManifestLayout.VERSION_AT, 2, "version");
    refused(ManifestLayout.PARTITIONS_AT, 0, "partitions");
    refused(ManifestLayout.PARTITIONS_AT, -1, "partitions");
    refused(ManifestLayout.SEGMENTS_AT, Integer.MAX_VALUE, "segments");
    refused(ManifestLayout.SEGMENTS_AT, -1, "segments");
    refused(ManifestLayout.CHECKSUMS_AT, 3, "checksums");
    refused(ManifestLayout.APPLICATION_BYTES_AT, 0, "application");
    refused(ManifestLayout.APPLICATION_BYTES_AT, 4, "length");
    int entry = (int) ManifestLayout.entryAt(1);
    refused(entry + ManifestLayout.ENTRY_FIRST_AT, 4, "first partition");
    refused(entry + ManifestLayout.ENTRY_COUNT_AT, 3, "partitions of a segment");
    refused(entry + ManifestLayout.ENTRY_OFFSETS_AT, 8, "position of offsets");
  }

  @Test
  void offsetsThatLeaveTheSegmentAreRefused() {
    byte[] bytes = build();
    int offsets = (int) read(bytes).length() - 3 - 3 * Long.BYTES;
    ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).putLong(offsets + Long.BYTES, 13);

    assertThatThrownBy(() -> read(bytes).pieces(2, 3))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.code()).isEqualTo(StoreException.Code.CORRUPT))
        .hasMessageContaining("end of a block is 13");
  }

  @Test
  void garbageIsRefusedOrStaysWithinItsBounds() {
    Random random = new Random(5);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = build(1, 2, 3, 4);
      for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      }
      try {
        Manifest manifest = read(bytes);
        for (Piece piece : manifest.pieces(0, manifest.partitions())) {
          assertThat(piece.offset()).isNotNegative();
          assertThat(piece.offset() + piece.length())
              .isLessThanOrEqualTo(manifest.segment(piece.segment()).length());
        }
      } catch (StoreException e) {
        assertThat(e.code()).isEqualTo(StoreException.Code.CORRUPT);
      }
    }
  }

  private static void refused(int at, int value, String what) {
    byte[] bytes = build();
    ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).putInt(at, value);
    assertThatThrownBy(() -> read(bytes))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.code()).isEqualTo(StoreException.Code.CORRUPT))
        .hasMessageContaining(what);
  }

  private static Manifest read(byte[] bytes) {
    return Manifest.read(ManifestBytes.of(bytes));
  }

  private static byte[] build(long... checksums) {
    ManifestBuilder builder = new ManifestBuilder("app", 4);
    builder.add(FIRST, new long[] {0, 10, 10, 30});
    builder.add(SECOND, new long[] {0, 5, 12});
    return builder.build(checksums);
  }
}
