// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.memory.DurabilityMethod;
import dev.verbena.rpc.BulkBatch;
import dev.verbena.rpc.RegisteredBuffer;
import dev.verbena.store.StoreException;
import dev.verbena.store.pool.PoolLayout;
import dev.verbena.store.pool.RecordLayout;
import dev.verbena.time.Deadline;
import java.util.concurrent.TimeUnit;

/**
 * A grant as its writer sees it. What leaves its bounds, or comes after its lease, is refused here:
 * the store's device would refuse it too, and end the connection. Thread-safe.
 */
final class ClientGrant {
  private final GrantLayout.Response terms;
  private final Publication publication;
  private final AppendFlush flush;
  private volatile Deadline lease;

  /**
   * Keeps the terms.
   *
   * @param asked nanoTime before the store was asked, which is when the lease began at the earliest
   */
  ClientGrant(GrantLayout.Response terms, Publication publication, long asked) {
    this.terms = terms;
    this.publication = publication;
    this.flush =
        publication.method() == DurabilityMethod.FLUSH
            ? new AppendFlush.NicFlush()
            : new AppendFlush.ReadAfterWrite();
    renewed(asked, terms.leaseMillis());
  }

  void renewed(long asked, long leaseMillis) {
    lease = new Deadline(asked + TimeUnit.MILLISECONDS.toNanos(leaseMillis));
  }

  GrantLayout.Response terms() {
    return terms;
  }

  long capacity() {
    return terms.capacity();
  }

  /**
   * Adds a WRITE of part of the record.
   *
   * @param position first byte within the record, whose header comes first
   * @throws StoreException INVALID_ARGUMENT beyond the record, NOT_GRANTED after the lease
   */
  void write(
      BulkBatch batch, RegisteredBuffer source, long sourceOffset, long position, long length) {
    long size = RecordLayout.HEADER_BYTES + terms.capacity();
    if (position < 0 || length < 0 || length > size - position) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          length + " bytes at " + position + " of a record of at most " + size);
    }
    checkLease();
    batch.write(source, sourceOffset, terms.recordAddress() + position, terms.recordKey(), length);
  }

  /**
   * Adds what makes a record durable, its publish word, and what makes that durable.
   *
   * @param position first byte of the record within the grant: 0, or where a chunk of a run begins
   * @param scratch 8 bytes at {@code scratchOffset} that may be overwritten
   */
  void publish(
      BulkBatch batch,
      long position,
      long recordBytes,
      long word,
      RegisteredBuffer scratch,
      long scratchOffset) {
    flushRecord(batch, position, recordBytes, scratch, scratchOffset);
    publishWord(batch, position, word, scratch, scratchOffset);
  }

  /** Adds the first of the steps of {@link #publish}. */
  void flushRecord(
      BulkBatch batch,
      long position,
      long recordBytes,
      RegisteredBuffer scratch,
      long scratchOffset) {
    checkLease();
    long record = terms.recordAddress() + position;
    flush.add(batch, record, terms.recordKey(), recordBytes, scratch, scratchOffset);
  }

  /** Adds the others. */
  void publishWord(
      BulkBatch batch, long position, long word, RegisteredBuffer scratch, long scratchOffset) {
    checkLease();
    long address = terms.wordAddress() + wordPosition(position);
    batch.publish(address, terms.wordKey(), word);
    flush.add(batch, address, terms.wordKey(), PoolLayout.WORD_BYTES, scratch, scratchOffset);
  }

  private static long wordPosition(long position) {
    return position / PoolLayout.CHUNK_BYTES * PoolLayout.WORD_BYTES;
  }

  /** What has the store make a record durable. */
  PersistLayout.Request persistRecord(long position, long recordBytes) {
    return new PersistLayout.Request(false, terms.grant(), position, recordBytes);
  }

  /** What has it do so with the record's publish word. */
  PersistLayout.Request persistWord(long position) {
    return new PersistLayout.Request(
        true, terms.grant(), wordPosition(position), PoolLayout.WORD_BYTES);
  }

  /** How a record of it is published. */
  Publication publication() {
    return publication;
  }

  /** What a record that was published is promised. */
  Durability durability() {
    return new Durability(terms.domain(), publication.method());
  }

  private void checkLease() {
    if (lease.hasPassed()) {
      throw new StoreException(
          StoreException.Code.NOT_GRANTED,
          "the lease of grant " + terms.grant() + " is over, and was not renewed");
    }
  }
}
