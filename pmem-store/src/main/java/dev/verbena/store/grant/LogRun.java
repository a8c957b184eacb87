// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.store.pool.PoolLayout;
import dev.verbena.store.pool.RecordLayout;

/** Space in a log as its writer fills it, from the front. One thread. */
final class LogRun {
  private final ClientGrant grant;
  private final long firstOrdinal;
  private final long chunks;
  private long next;

  LogRun(ClientGrant grant, long firstOrdinal) {
    this.grant = grant;
    this.firstOrdinal = firstOrdinal;
    this.chunks = RecordLayout.spaceFor(grant.capacity()) / PoolLayout.CHUNK_BYTES;
  }

  ClientGrant grant() {
    return grant;
  }

  /** Whether an entry with that many bytes fits behind those that are there. */
  boolean hasRoom(long payloadBytes) {
    return RecordLayout.spaceFor(payloadBytes) / PoolLayout.CHUNK_BYTES <= chunks - next;
  }

  /** Where the next entry begins within the grant. */
  long position() {
    return next * PoolLayout.CHUNK_BYTES;
  }

  /** The sequence for its header. */
  long sequence() {
    return grant.terms().sequence() + next;
  }

  /** Its ordinal in the log. */
  long ordinal() {
    return firstOrdinal + next;
  }

  /** The next entry, of that many bytes, is there. */
  void advance(long payloadBytes) {
    next += RecordLayout.spaceFor(payloadBytes) / PoolLayout.CHUNK_BYTES;
  }
}
