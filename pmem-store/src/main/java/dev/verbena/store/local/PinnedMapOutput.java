// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoredMapOutput;
import dev.verbena.store.manifest.Piece;
import dev.verbena.store.pool.Extent;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/** One pin on a committed map output. */
final class PinnedMapOutput implements StoredMapOutput {
  private final LocalBlockStore store;
  private final CommittedOutput output;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Takes over a pin on {@code output} and a use of the store. */
  PinnedMapOutput(LocalBlockStore store, CommittedOutput output) {
    this.store = store;
    this.output = output;
  }

  @Override
  public MapOutputKey key() {
    return output.key();
  }

  @Override
  public int partitions() {
    return output.manifest().partitions();
  }

  @Override
  public long partitionLength(int partition) {
    return rangeLength(partition, partition + 1);
  }

  @Override
  public long[] partitionLengths() {
    checkOpen();
    return output.manifest().partitionLengths();
  }

  @Override
  public long rangeLength(int first, int end) {
    checkOpen();
    return output.manifest().rangeLength(first, end);
  }

  @Override
  public long[] checksums() {
    checkOpen();
    return output.manifest().checksums();
  }

  @Override
  public InputStream open(int first, int end) {
    checkOpen();
    List<Piece> pieces = output.manifest().pieces(first, end);
    return new RangeInputStream(again(), pieces);
  }

  @Override
  public void read(
      int first, int end, long position, ByteBuffer target, int targetIndex, int length) {
    checkOpen();
    List<Piece> pieces = output.manifest().pieces(first, end);
    long total = pieces.stream().mapToLong(Piece::length).sum();
    Objects.checkFromIndexSize(position, length, total);
    Objects.checkFromIndexSize(targetIndex, length, target.limit());
    long skip = position;
    int done = 0;
    for (Piece piece : pieces) {
      if (done == length) {
        break;
      }
      if (skip >= piece.length()) {
        skip -= piece.length();
        continue;
      }
      int run = (int) Math.min(length - done, piece.length() - skip);
      verify(piece.segment());
      Extent extent = output.segment(piece.segment());
      extent
          .pool()
          .read(extent.payloadOffset() + piece.offset() + skip, target, targetIndex + done, run);
      done += run;
      skip = 0;
    }
  }

  /** Copies part of a piece out. The caller holds this pin. */
  void read(Piece piece, long position, byte[] target, int offset, int length) {
    checkOpen();
    verify(piece.segment());
    Extent extent = output.segment(piece.segment());
    extent.pool().read(extent.payloadOffset() + piece.offset() + position, target, offset, length);
  }

  private PinnedMapOutput again() {
    checkOpen();
    store.uses().enter();
    output.pinAgain();
    return new PinnedMapOutput(store, output);
  }

  private void verify(int segment) {
    if (store.verifiesReads()) {
      output.verify(segment);
    }
  }

  private void checkOpen() {
    if (closed.get()) {
      throw new StoreException(StoreException.Code.CLOSED, key() + ": the pin was let go");
    }
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      try {
        output.unpin();
      } finally {
        store.uses().exit();
      }
    }
  }
}
