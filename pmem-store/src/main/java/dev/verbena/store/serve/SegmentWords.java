// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.rpc.RegisteredBuffer;
import dev.verbena.store.manifest.Piece;
import dev.verbena.store.manifest.Segment;
import dev.verbena.store.pool.PoolLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The publish words of the segments that were read. A word that is still what the manifest says,
 * read after the data, proves the data: it is zeroed before the space is given out again.
 */
final class SegmentWords {
  private record Expected(long location, long word) {}

  private final Map<Expected, Integer> numbers = new HashMap<>();
  private final List<Expected> expected = new ArrayList<>();

  /** Adds the segments of a range. */
  void add(RangePlan plan) {
    for (Piece piece : plan.pieces()) {
      Expected one = expectedOf(plan, piece);
      if (numbers.putIfAbsent(one, expected.size()) == null) {
        expected.add(one);
      }
    }
  }

  long bytes() {
    return (long) expected.size() * PoolLayout.WORD_BYTES;
  }

  /** Adds the READs of all words. */
  void addTo(PeerReads reads, RegisteredBuffer buffer) {
    for (int i = 0; i < expected.size(); i++) {
      reads.add(
          buffer,
          (long) i * PoolLayout.WORD_BYTES,
          expected.get(i).location(),
          PoolLayout.WORD_BYTES);
    }
  }

  /** Whether all words of a range are what they should be. */
  boolean stand(RangePlan plan, RegisteredBuffer buffer) {
    for (Piece piece : plan.pieces()) {
      Expected one = expectedOf(plan, piece);
      long at = buffer.offset() + (long) numbers.get(one) * PoolLayout.WORD_BYTES;
      if (buffer.memory().getLong(at) != one.word()) {
        return false;
      }
    }
    return true;
  }

  private static Expected expectedOf(RangePlan plan, Piece piece) {
    Segment segment = plan.output().manifest().segment(piece.segment());
    return new Expected(segment.wordLocation(), segment.publishWord());
  }
}
