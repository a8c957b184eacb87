// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.WorkCompletion;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * Sends the messages of one end of a connection, under credits. Thread-safe.
 *
 * <p>A message needs a slot, which holds it until its SEND is complete, and a credit, which is a
 * receive buffer at the peer; what finds neither queues up and is sent when they come back. Credits
 * return with every message of the peer, or alone when half of them have gathered and nothing else
 * goes out. The last credit is kept for such a message. Hence no deadlock: an end without any
 * credit spent its last one on telling the peer of at least half of the peer's, and the peer,
 * having those, can tell of its own in turn, since received messages are always taken off at once.
 */
final class MessageSender {
  /** Marks request ids of SENDs; those of RECVs are small. */
  static final long SEND_ID = 1L << 62;

  private static final int RESERVED_FOR_CREDITS = 1;
  private static final int MOST_SPARE = 64;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final QueuePair queuePair;
  private final RegisteredBuffer memory;
  private final long start;
  private final int slotSize;
  private final int slots;
  private final int signalInterval;
  private final int maxInline;
  private final int mostQueued;
  private final SendRequest request = new SendRequest(1);
  private final ByteBuffer staging;
  private final MessageHeader header;
  private final ArrayDeque<QueuedMessage> queued = new ArrayDeque<>();
  private final ArrayDeque<QueuedMessage> spare = new ArrayDeque<>();
  private long posted;
  private long reclaimed;
  private int sinceSignal;
  private int credits;
  private int toReturn;
  private int returnThreshold = Integer.MAX_VALUE;
  private int peerDepth;
  private int version;
  private long incarnation;
  private volatile int largestEager;
  private boolean stopped;

  /**
   * A sender with slots in {@code memory} from {@code start} on.
   *
   * @param maxInline longest message to post inline
   * @param mostQueued messages that may wait for slots and credits
   */
  MessageSender(
      QueuePair queuePair,
      RegisteredBuffer memory,
      long start,
      int slotSize,
      int slots,
      int maxInline,
      int mostQueued) {
    this.queuePair = queuePair;
    this.memory = memory;
    this.start = start;
    this.slotSize = slotSize;
    this.slots = slots;
    this.signalInterval = Math.max(1, slots / 2);
    this.maxInline = maxInline;
    this.mostQueued = mostQueued;
    this.staging = ByteBuffer.allocate(slotSize);
    this.header = new MessageHeader(staging);
  }

  /** The handshake is over: from now on credits count. */
  synchronized void open(Agreement agreement, int ownDepth) {
    version = agreement.version();
    incarnation = agreement.incarnation();
    peerDepth = agreement.peerDepth();
    credits = peerDepth;
    returnThreshold = ownDepth / 2;
    largestEager = Math.min(slotSize, agreement.peerBufferSize()) - MessageHeader.LENGTH;
  }

  /** Bytes of the longest message that goes without a rendezvous. */
  int largestEager() {
    return largestEager;
  }

  /** Sends a message of the handshake, in which each end waits for the other: no credits. */
  synchronized void sendHandshake(MessageKind kind, MessageStatus status, ByteBuffer payload) {
    int length = payload.remaining();
    header.set(MessageHeader.HANDSHAKE_VERSION, kind, status, 0, length, 0, 0, 0);
    post(payload, payload.position(), length);
  }

  /**
   * Sends, or queues a copy.
   *
   * @param deadline nanoTime by which the answer is wanted; 0 if that means nothing here
   * @throws RpcException DISCONNECTED if the connection is broken; OVERLOADED if too much is
   *     queued, since the peer does not take messages off
   */
  synchronized void send(
      MessageKind kind,
      MessageStatus status,
      int method,
      long callId,
      long deadline,
      ByteBuffer payload,
      int from,
      int length) {
    if (stopped) {
      throw new RpcException(
          RpcException.Code.DISCONNECTED, false, "the connection is broken", null);
    }
    if (queued.isEmpty() && hasRoom(RESERVED_FOR_CREDITS)) {
      postCounted(kind, status, method, callId, deadline, payload, from, length);
    } else if (queued.size() >= mostQueued) {
      throw new RpcException(
          RpcException.Code.OVERLOADED,
          false,
          mostQueued + " messages wait for the peer to take some off",
          null);
    } else {
      QueuedMessage message = spare.isEmpty() ? new QueuedMessage() : spare.poll();
      message.set(kind, status, method, callId, deadline, payload, from, length);
      queued.add(message);
    }
  }

  /** Takes a request back that is still queued; false if it was sent. */
  synchronized boolean withdraw(long callId) {
    Iterator<QueuedMessage> all = queued.iterator();
    while (all.hasNext()) {
      QueuedMessage message = all.next();
      if (message.callId() == callId && message.isRequest()) {
        all.remove();
        return true;
      }
    }
    return false;
  }

  /**
   * The peer says that it has buffers again.
   *
   * @return false if it claims more than it has
   */
  synchronized boolean credited(int returned) {
    if (returned > peerDepth - credits) {
      return false;
    }
    credits += returned;
    return true;
  }

  /** One of our own receive buffers is posted again after a message that took a credit. */
  synchronized void received() {
    toReturn++;
  }

  /** A SEND is complete, and with it all before it. */
  synchronized void completed(WorkCompletion completion) {
    reclaimed = (completion.requestId() & ~SEND_ID) + 1;
  }

  /** Sends what is queued as far as it can go, and credits if it is time. */
  synchronized void flush() {
    if (stopped) {
      return;
    }
    while (!queued.isEmpty() && hasRoom(RESERVED_FOR_CREDITS)) {
      QueuedMessage message = queued.poll();
      postCounted(
          message.kind(),
          message.status(),
          message.method(),
          message.callId(),
          message.deadline(),
          message.payload(),
          0,
          message.length());
      if (spare.size() < MOST_SPARE) {
        spare.add(message);
      }
    }
    if (toReturn >= returnThreshold && hasRoom(0)) {
      postCounted(MessageKind.CREDIT, MessageStatus.OK, 0, 0, 0, NOTHING, 0, 0);
    }
  }

  /** Nothing is sent any more; what is queued can still be withdrawn. */
  synchronized void stop() {
    stopped = true;
  }

  private boolean hasRoom(int reserve) {
    return credits > reserve && posted - reclaimed < slots;
  }

  private void postCounted(
      MessageKind kind,
      MessageStatus status,
      int method,
      long callId,
      long deadline,
      ByteBuffer payload,
      int from,
      int length) {
    long timeLeft = deadline == 0 ? 0 : Math.max(0, deadline - System.nanoTime()) / 1000;
    header.set(version, kind, status, method, length, callId, incarnation, timeLeft);
    header.setCredits(toReturn);
    toReturn = 0;
    credits--;
    post(payload, from, length);
  }

  private void post(ByteBuffer payload, int from, int length) {
    int total = MessageHeader.LENGTH + length;
    long id = SEND_ID | posted;
    if (total <= maxInline) {
      staging.put(MessageHeader.LENGTH, payload, from, length);
      request.send(id).inline(staging, 0, total);
    } else {
      long slot = start + posted % slots * slotSize;
      memory.memory().put(memory.offset() + slot, staging, 0, MessageHeader.LENGTH);
      memory.memory().put(memory.offset() + slot + MessageHeader.LENGTH, payload, from, length);
      request.send(id).buffer(memory.address() + slot, total, memory.localKey());
    }
    if (++sinceSignal >= signalInterval) {
      request.signaled();
      sinceSignal = 0;
    }
    queuePair.postSend(request.solicited());
    posted++;
  }
}
