// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.store.BlockSink;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;

/**
 * Reads blocks from stores of other processes. Thread-safe. Connections and what was learnt of a
 * peer's outputs are cached, and dropped on the first error: a later call starts afresh.
 */
public interface BlockClient extends AutoCloseable {
  /**
   * What a transfer copied.
   *
   * @param bytes how much
   * @param carrier by which carrier: "shm" or "tcp"
   */
  record Transferred(long bytes, String carrier) {}

  /**
   * Fetches ranges by verbs, several READs to a doorbell. Over shm the listener has heard of all of
   * them when this returns; over tcp a client thread tells it. Never throws for a failed peer: each
   * range ends with the listener, by the client's deadline at the latest.
   */
  void fetch(StoreEndpoint peer, List<BlockRange> ranges, FetchListener listener);

  /**
   * Copies one range by verbs into {@code sink}, piece by piece, whatever its length: for blocks
   * that are to go to disk.
   *
   * @return what was copied
   * @throws dev.verbena.store.StoreException with a cause; the sink then holds a part
   */
  Transferred transfer(StoreEndpoint peer, BlockRange range, BlockSink sink);

  /**
   * Opens a range of a store on the same host by mapping its segment: loads, no verbs. Empty where
   * the carrier can't. The stream's {@code available} is what is left, at most {@link
   * Integer#MAX_VALUE}; nothing of the peer is held between its reads, which throw {@link
   * dev.verbena.store.StoreException} as this method does.
   *
   * @throws dev.verbena.store.StoreException NOT_FOUND, DISCONNECTED, REJECTED or TIMED_OUT
   */
  Optional<InputStream> openMapped(StoreEndpoint peer, BlockRange range);

  /** Drops what is cached of a peer. */
  void forget(StoreEndpoint peer);

  /** What was read so far, by carrier. */
  CarrierCounts counts();

  /** Closes the connections; fetches under way end as DISCONNECTED. */
  @Override
  void close();
}
