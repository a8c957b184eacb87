// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
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

  /** Begins; the batch has a byte to transfer. Returns a number that no earlier use had. */
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
   * @return whether it is the last one
   */
  boolean nextPiece(SendRequest request, long sequence, int longestPiece) {
    while (batch.length(index) == 0) {
      index++;
    }
    int length = (int) Math.min(longestPiece, batch.length(index) - offset);
    long remote = batch.remoteAddress(index) + offset;
    if (batch.isRead(index)) {
      request.read(sequence, remote, batch.remoteKey(index));
    } else {
      request.write(sequence, remote, batch.remoteKey(index));
    }
    request.buffer(batch.localAddress(index) + offset, length, batch.localKey(index));
    offset += length;
    lastSequence = sequence;
    if (offset < batch.length(index)) {
      return false;
    }
    offset = 0;
    return index++ == lastIndex;
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
