// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.WorkCompletion;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One end of a connection: its two queue pairs, buffers and credits, how messages come in, and how
 * it ends. What messages mean is its owner's business.
 *
 * <p>It ends once, by {@link #fail}: the owner is told at once, the rest is freed on the reactor's
 * thread, so that a handler of a completion can end the connection that it came from.
 */
final class Link implements PolledQueue.Handler {
  /** The client's or the server's side of the protocol. */
  interface Owner {
    /** A message of the handshake; its receive buffer is posted again already. */
    void handshake(MessageKind kind, MessageStatus status, ByteBuffer payload);

    /** Any other message but credits; valid until this returns. */
    void message(ReceivedMessage message);

    /** The link has failed: everything open ends. Called once, by any thread. */
    void failed(RpcException cause);

    /** Nothing of the link is in use any more. On the reactor's thread. */
    void freed();
  }

  private static final Logger LOG = LoggerFactory.getLogger(Link.class);
  private static final Duration TEARDOWN_PATIENCE = Duration.ofSeconds(5);
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final int INLINE_LIMIT = 256;

  private final RpcResources resources;
  private final Reactor reactor;
  private final Owner owner;
  private final RegisteredBuffer memory;
  private final QueuePair queuePair;
  private final PolledQueue completions;
  private final ReceiveBuffers receives;
  private final MessageSender sender;
  private final ReceivedMessage received;
  private final AtomicReference<RpcException> failure = new AtomicReference<>();
  private final CountDownLatch freed = new CountDownLatch(1);
  private final Object bulkLock = new Object();
  private volatile BulkQueue bulk;
  private volatile Agreement agreement;

  /** For the thread that polls. */
  private RpcException seenError;

  private boolean seenFlush;

  /** Makes the queue pairs, with RECVs posted, not connected. */
  Link(RpcResources resources, Reactor reactor, Owner owner) {
    this.resources = resources;
    this.reactor = reactor;
    this.owner = owner;
    RpcOptions options = resources.options();
    Device device = resources.device();
    ProtectionDomain domain = resources.domain();
    int size = options.eagerBytes();
    int depth = options.receiveDepth();
    memory = resources.takeControlBuffer();
    CompletionQueue queue = null;
    QueuePair pair = null;
    try {
      queue = device.createCompletionQueue(2 * depth, reactor.channel());
      int inline = Math.min(device.attributes().maxInline(), INLINE_LIMIT);
      pair =
          domain.createQueuePair(
              QueuePairAttributes.of(queue, queue)
                  .withDepths(depth, depth)
                  .withMaxBuffers(1)
                  .withMaxInline(inline));
      receives = new QueuePairReceiveBuffers(pair, memory, 0, size, depth);
      sender =
          new MessageSender(
              pair,
              memory,
              (long) size * depth,
              size,
              depth,
              inline,
              options.maxOutstanding() + 2 * depth);
      receives.postAll();
    } catch (RuntimeException e) {
      if (pair != null) {
        pair.close();
      }
      if (queue != null) {
        queue.close();
      }
      memory.close();
      throw e;
    }
    queuePair = pair;
    received = new ReceivedMessage(receives.memory());
    completions = new PolledQueue(queue, this);
  }

  /** Bytes of control memory that a link needs. */
  static long controlBytes(RpcOptions options) {
    return 2L * options.eagerBytes() * options.receiveDepth();
  }

  QueuePair queuePair() {
    return queuePair;
  }

  Reactor reactor() {
    return reactor;
  }

  PolledQueue completions() {
    return completions;
  }

  MessageSender sender() {
    return sender;
  }

  /** Begins to poll; just before or after the queue pair is connected. */
  void start() {
    reactor.add(completions);
  }

  /** The handshake is over. */
  void open(Agreement agreed) {
    sender.open(agreed, receives.depth());
    agreement = agreed;
  }

  boolean isOpen() {
    return agreement != null && failure.get() == null;
  }

  Agreement agreement() {
    return agreement;
  }

  /** Makes the bulk queue pair, not connected. */
  BulkQueue createBulk() {
    synchronized (bulkLock) {
      checkAlive();
      BulkQueue made = new BulkQueue(resources.device(), resources.domain(), reactor, this::fail);
      bulk = made;
      reactor.add(made);
      return made;
    }
  }

  /** The bulk queue pair; null before the handshake has come that far. */
  BulkQueue bulk() {
    return bulk;
  }

  /** Why the link ended; null while it has not. */
  RpcException failure() {
    return failure.get();
  }

  /**
   * Throws if the link has ended.
   *
   * @throws RpcException DISCONNECTED or CLOSED, with the first failure as its cause
   */
  void checkAlive() {
    RpcException cause = failure.get();
    if (cause != null) {
      throw RpcFailures.broken(cause, false);
    }
  }

  /**
   * Sends a message, or throws why that can't be.
   *
   * @param deadline nanoTime by which the answer is wanted; 0 if that means nothing here
   */
  void send(
      MessageKind kind,
      MessageStatus status,
      int method,
      long callId,
      long deadline,
      ByteBuffer payload,
      int from,
      int length) {
    try {
      sender.send(kind, status, method, callId, deadline, payload, from, length);
    } catch (VerbsException e) {
      fail(RpcFailures.of(e, toString()));
      checkAlive();
    } catch (RpcException e) {
      checkAlive();
      throw e;
    }
  }

  /** Tells the peer that what it offered for a call may go; nothing if the link has ended. */
  void sendRendezvousDone(long callId) {
    if (failure.get() != null) {
      return;
    }
    try {
      send(MessageKind.RENDEZVOUS_DONE, MessageStatus.OK, 0, callId, 0, NOTHING, 0, 0);
    } catch (RpcException e) {
      fail(e);
    }
  }

  /** Ends the link. Only the first cause counts. */
  void fail(RpcException cause) {
    if (failure.compareAndSet(null, cause)) {
      sender.stop();
      try {
        owner.failed(cause);
      } finally {
        reactor.execute(this::terminate);
      }
    }
  }

  /** Whether the calling thread is handling a completion of it, and must not wait for its end. */
  boolean isHandledByMe() {
    BulkQueue made = bulk;
    return reactor.isReactorThread()
        || completions.isClaimedByMe()
        || (made != null && made.isHandledByMe());
  }

  /** Waits until everything is freed; false if that takes longer. */
  boolean awaitFreed(Deadline deadline) throws InterruptedException {
    return freed.await(Math.max(0, deadline.remainingNanos()), TimeUnit.NANOSECONDS);
  }

  @Override
  public void completed(WorkCompletion completion) {
    if (failure.get() != null) {
      return;
    }
    if (!completion.isSuccess()) {
      if (completion.status() == CompletionStatus.WORK_REQUEST_FLUSHED) {
        seenFlush = true;
      } else if (seenError == null) {
        seenError = RpcFailures.of(completion, toString());
      }
    } else if ((completion.requestId() & MessageSender.SEND_ID) != 0) {
      sender.completed(completion);
    } else {
      receive(completion.requestId(), completion.byteLength());
    }
  }

  @Override
  public void drained(boolean empty) {
    if (seenError != null) {
      fail(seenError);
    } else if (seenFlush && empty) {
      fail(RpcFailures.peerGone(toString()));
    } else {
      sender.flush();
    }
  }

  @Override
  public void broken(Throwable cause) {
    fail(
        cause instanceof RpcException known
            ? known
            : new RpcException(
                RpcException.Code.DISCONNECTED, true, this + " failed: " + cause, cause));
  }

  private void receive(long requestId, int byteLength) {
    String defect = received.take(receives.offsetOf(requestId), byteLength);
    if (defect != null) {
      fail(RpcFailures.protocol(toString(), defect));
      return;
    }
    MessageKind kind = received.header().kind();
    Agreement agreed = agreement;
    if (kind.isHandshake()) {
      MessageStatus status = received.header().status();
      ByteBuffer payload = received.copyPayload();
      receives.repost(requestId);
      owner.handshake(kind, status, payload);
    } else if (agreed == null || received.header().version() != agreed.version()) {
      fail(RpcFailures.protocol(toString(), kind + " of version " + received.header().version()));
    } else if (!sender.credited(received.header().credits())) {
      fail(RpcFailures.protocol(toString(), "more credits than the peer has buffers"));
    } else {
      if (kind != MessageKind.CREDIT) {
        owner.message(received);
      }
      receives.repost(requestId);
      sender.received();
    }
  }

  private void terminate() {
    try {
      RpcException cause = failure.get();
      Deadline patience = Deadline.after(TEARDOWN_PATIENCE);
      boolean retired = completions.retire(patience);
      reactor.remove(completions);
      queuePair.close();
      if (retired) {
        completions.queue().close();
        memory.close();
      } else {
        LOG.error("{}: a handler holds its completion queue; its memory stays reserved", this);
      }
      BulkQueue made;
      synchronized (bulkLock) {
        made = bulk;
      }
      if (made != null) {
        reactor.remove(made);
        made.terminate(cause, patience);
      }
    } catch (RuntimeException e) {
      LOG.error("{} could not be freed completely", this, e);
    } finally {
      owner.freed();
      freed.countDown();
    }
  }

  @Override
  public String toString() {
    return "connection on queue pair " + queuePair.number();
  }
}
