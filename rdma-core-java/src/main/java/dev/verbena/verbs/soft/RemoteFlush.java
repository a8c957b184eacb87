// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.CompletionStatus;
import java.nio.ByteBuffer;

/**
 * Checks a FLUSH at its target and does what can be done anywhere: data that a copy put there is
 * visible after a fence, which announcing brings, and persistent as far as its memory ever is
 * unless the owner has to persist it. One thread at a time.
 */
final class RemoteFlush {
  private final Responder responder;
  private int key;
  private long address;
  private long length;
  private boolean whole;
  private boolean needsOwner;

  RemoteFlush(Responder responder) {
    this.responder = responder;
  }

  /** Checks a FLUSH whose operands are at index {@code at}; see {@link #needsOwner}. */
  CompletionStatus check(int regionKey, long firstByte, ByteBuffer operands, int at) {
    int type = operands.getInt(at + WorkQueueEntryLayout.FLUSH_TYPE_OFFSET);
    int level = operands.getInt(at + WorkQueueEntryLayout.FLUSH_LEVEL_OFFSET);
    key = regionKey;
    address = firstByte;
    length = operands.getLong(at + WorkQueueEntryLayout.FLUSH_LENGTH_OFFSET);
    whole = level == WorkQueueEntryLayout.FLUSH_REGION;
    boolean persistent = type == WorkQueueEntryLayout.FLUSH_PERSISTENT;
    if ((!persistent && type != WorkQueueEntryLayout.FLUSH_GLOBAL)
        || (!whole && level != WorkQueueEntryLayout.FLUSH_RANGE)
        || length < 0) {
      return CompletionStatus.REMOTE_INVALID_REQUEST;
    }
    int access = persistent ? KeyTable.FLUSH_PERSISTENT : KeyTable.FLUSH_GLOBAL;
    RegionAccess region = responder.region();
    boolean allowed =
        whole ? region.announceWhole(key, access) : region.announce(key, address, length, access);
    if (!allowed) {
      return CompletionStatus.REMOTE_ACCESS_ERROR;
    }
    needsOwner = persistent && region.isPersistedByOwner(key);
    boolean alive = responder.isAlive();
    region.close();
    return alive ? CompletionStatus.SUCCESS : CompletionStatus.TRANSPORT_RETRY_EXCEEDED;
  }

  /** After SUCCESS: whether the owner must persist it before it is done. */
  boolean needsOwner() {
    return needsOwner;
  }

  /** What the owner must do. */
  FlushOrder order() {
    return new FlushOrder(key, responder.domain(), address, length, whole);
  }
}
