// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.FlushLevel;
import dev.verbena.verbs.FlushType;
import dev.verbena.verbs.SendRequest;

/**
 * A submitted batch, cut in pieces as it is posted. Belongs to its batch and is used again with it;
 * guarded by the lock of the queue.
 */
final class BulkOperation {
  private final BulkBatch batch;
  private BulkCallback callback;
  private Deadline deadline;
  private int index;
  private int lastIndex;
  private long offset;
  private long lastSequence;
  private boolean unattended;
  private boolean open;
  private int generation;

  BulkOperation(BulkBatch batch) {
    this.batch = batch;
  }

  /** Begins; the batch has something to do. Returns a number that no earlier use had. */
  int begin(Deadline newDeadline, BulkCallback newCallback) {
    callback = newCallback;
    deadline = newDeadline;
    offset = 0;
    index = 0;
    lastIndex = batch.count() - 1;
    while (batch.length(lastIndex) == 0) {
      lastIndex--;
    }
    unattended = false;
    open = true;
    return ++generation;
  }

  /** Whether that use of it is not done yet. */
  boolean isOpen(int use) {
    return open && generation == use;
  }

  /** Its transfers are done, or can't touch memory any more. */
  void close() {
    open = false;
  }

  /**
   * Describes the next piece.
   *
   * @param slot number of the request within its doorbell
   * @return whether it is the last one
   */
  boolean nextPiece(
      SendRequest request, int slot, long sequence, int longestPiece, WordPublisher publisher) {
    while (batch.length(index) == 0) {
      index++;
    }
    lastSequence = sequence;
    long length = batch.length(index);
    long remote = batch.remoteAddress(index) + offset;
    int key = batch.remoteKey(index);
    switch (batch.kind(index)) {
      case READ -> {
        length = Math.min(longestPiece, length - offset);
        local(request.read(sequence, remote, key), (int) length);
      }
      case WRITE -> {
        length = Math.min(longestPiece, length - offset);
        local(request.write(sequence, remote, key), (int) length);
      }
      case FLUSH ->
          request.flush(sequence, remote, key, length, FlushType.PERSISTENT, FlushLevel.RANGE);
      case PUBLISH -> {
        publisher.describe(request, slot, sequence, remote, key, batch.word(index));
        if (batch.isBehindRead(index)) {
          request.fenced();
        }
      }
      case BIND -> {
        BulkBatch.Bind bind = batch.bind(index);
        request.bindWindow(sequence, bind.window(), bind.region(), remote, length, bind.access());
      }
    }
    offset += length;
    if (offset < batch.length(index)) {
      return false;
    }
    offset = 0;
    return index++ == lastIndex;
  }

  private void local(SendRequest request, int length) {
    request.buffer(batch.localAddress(index) + offset, length, batch.localKey(index));
  }

  boolean isPosted() {
    return index > lastIndex;
  }

  long lastSequence() {
    return lastSequence;
  }

  Deadline deadline() {
    return deadline;
  }

  boolean isUnattended() {
    return unattended;
  }

  void markUnattended() {
    unattended = true;
  }

  /** Lets the batch go and tells the submitter. */
  void finish(RpcException failure) {
    BulkCallback tell = callback;
    callback = null;
    batch.done();
    tell.completed(batch, failure);
  }
}
