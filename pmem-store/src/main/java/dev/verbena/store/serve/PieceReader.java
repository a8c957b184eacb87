// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.rpc.RegisteredBuffer;
import dev.verbena.store.BlockSink;
import dev.verbena.store.manifest.Manifest;
import dev.verbena.store.manifest.Piece;
import dev.verbena.store.manifest.Segment;
import dev.verbena.store.pool.PoolLayout;
import dev.verbena.time.Deadline;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Copies a range by verbs through one registered buffer, whatever its length. Each step is followed
 * by a READ of the segment's publish word before it is passed on.
 */
final class PieceReader {
  private static final int STEP_BYTES = 1 << 20;

  private final StoreClient client;
  private final Peer peer;
  private final Supplier<Deadline> stepDeadline;

  PieceReader(StoreClient client, Peer peer, Duration stepTimeout) {
    this.client = client;
    this.peer = peer;
    this.stepDeadline = () -> Deadline.after(stepTimeout);
  }

  void copy(RangePlan plan, BlockSink sink) {
    int step = (int) Math.min(STEP_BYTES, Math.max(1, plan.length()));
    byte[] copy = new byte[step];
    try (RegisteredBuffer buffer =
        client
            .buffers()
            .scratch(peer.endpoint(), (long) step + PoolLayout.WORD_BYTES, stepDeadline.get())) {
      for (Piece piece : plan.pieces()) {
        Segment segment = plan.output().manifest().segment(piece.segment());
        for (long done = 0; done < piece.length(); ) {
          int run = (int) Math.min(step, piece.length() - done);
          read(plan, segment, piece.offset() + done, buffer, run);
          buffer.memory().get(buffer.offset() + PoolLayout.WORD_BYTES, copy, 0, run);
          sink.put(copy, 0, run);
          done += run;
        }
      }
    }
    client.tally().add(peer.carrier(), 1, plan.length());
  }

  /** Word first in the buffer, data behind it. */
  private void read(
      RangePlan plan, Segment segment, long offset, RegisteredBuffer buffer, int length) {
    PeerReads reads = new PeerReads(peer, 1, stepDeadline.get());
    long location = Manifest.payloadLocation(segment.record()) + offset;
    reads.add(buffer, PoolLayout.WORD_BYTES, location, length);
    reads.run();
    reads.add(buffer, 0, segment.wordLocation(), PoolLayout.WORD_BYTES);
    reads.run();
    if (buffer.memory().getLong(buffer.offset()) != segment.publishWord()) {
      client.cache().remove(peer, plan.output().key());
      throw Failures.gone(peer.endpoint(), plan.range());
    }
  }
}
