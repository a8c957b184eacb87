// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.store.StoreException;
import dev.verbena.store.manifest.Manifest;
import dev.verbena.store.manifest.Piece;
import dev.verbena.time.Deadline;
import java.util.List;

/**
 * A range and where it lies.
 *
 * @param range what is read
 * @param output the output it is a part of
 * @param pieces where it lies, in order
 * @param length bytes of all pieces
 */
record RangePlan(BlockRange range, RemoteOutput output, List<Piece> pieces, long length) {
  /**
   * Finds a range in a manifest that a peer sent.
   *
   * @throws StoreException CORRUPT if its lengths can't be added up
   */
  static RangePlan of(BlockRange range, RemoteOutput output) {
    List<Piece> pieces = output.manifest().pieces(range.first(), range.end());
    long length = 0;
    for (Piece piece : pieces) {
      length += piece.length();
      if (length < 0) {
        throw new StoreException(
            StoreException.Code.CORRUPT,
            range + ": the lengths of its pieces add up to no length: " + pieces);
      }
    }
    return new RangePlan(range, output, pieces, length);
  }

  /** Whether it is the same bytes in the same places, so that reading may go on there. */
  boolean liesAt(RangePlan other) {
    return pieces.equals(other.pieces)
        && pieces.stream()
            .mapToInt(Piece::segment)
            .allMatch(
                segment ->
                    output
                        .manifest()
                        .segment(segment)
                        .equals(other.output.manifest().segment(segment)));
  }

  /**
   * Checks that every piece lies in a pool of the peer, before anything of its size is allocated.
   *
   * @throws StoreException CORRUPT if one does not
   */
  void check(Peer peer, Deadline deadline) {
    for (Piece piece : pieces) {
      long record = output.manifest().segment(piece.segment()).record();
      peer.poolAt(Manifest.payloadLocation(record) + piece.offset(), piece.length(), deadline);
    }
  }
}
