// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.store.pool.Each;
import dev.verbena.verbs.VerbsException;
import java.util.List;

/**
 * The keys of one grant.
 *
 * @param recordKey opens the record
 * @param recordAddress what its peer calls the record's first byte
 * @param wordKey opens the publish word, or words
 * @param wordAddress what its peer calls the first of them
 * @param flush makes what was written there durable, if the peer asks for it
 * @param holders what is behind the keys: windows, regions, memory
 */
record KeyPair(
    int recordKey,
    long recordAddress,
    int wordKey,
    long wordAddress,
    StoreFlush flush,
    List<AutoCloseable> holders) {

  /**
   * Revokes both: when this returns the peer can't write there any more, whatever it has posted.
   * Windows end by deallocation in every state of their queue pair. A LOCAL_INVALIDATE would wait
   * in the send queue for a peer that is stopped in an access, and its failure would end the
   * connection with all other grants.
   *
   * @throws VerbsException TIMED_OUT if the peer is stopped in the middle of an access; to be
   *     called again until that peer resumes or dies
   */
  void revoke() {
    Each.of(holders, KeyPair::close);
  }

  private static void close(AutoCloseable holder) {
    try {
      holder.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("closing " + holder, e);
    }
  }
}
