// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.manifest.Piece;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;

/** A range of blocks as a stream, with a pin of its own. One thread. */
final class RangeInputStream extends InputStream {
  private final PinnedMapOutput pin;
  private final List<Piece> pieces;
  private final byte[] single = new byte[1];
  private long left;
  private int current;
  private long position;

  RangeInputStream(PinnedMapOutput pin, List<Piece> pieces) {
    this.pin = pin;
    this.pieces = pieces;
    this.left = pieces.stream().mapToLong(Piece::length).sum();
    closeAtEnd();
  }

  @Override
  public int read() {
    return read(single, 0, 1) < 0 ? -1 : single[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    if (left == 0) {
      return -1;
    }
    Piece piece = pieces.get(current);
    int run = (int) Math.min(length, piece.length() - position);
    pin.read(piece, position, target, offset, run);
    advance(run);
    return run;
  }

  @Override
  public long skip(long count) {
    long skipped = 0;
    while (skipped < count && left > 0) {
      long run = Math.min(count - skipped, pieces.get(current).length() - position);
      advance(run);
      skipped += run;
    }
    return skipped;
  }

  @Override
  public int available() {
    return (int) Math.min(left, Integer.MAX_VALUE);
  }

  private void advance(long run) {
    position += run;
    left -= run;
    if (position == pieces.get(current).length()) {
      current++;
      position = 0;
    }
    closeAtEnd();
  }

  private void closeAtEnd() {
    if (left == 0) {
      pin.close();
    }
  }

  @Override
  public void close() {
    left = 0;
    pin.close();
  }
}
