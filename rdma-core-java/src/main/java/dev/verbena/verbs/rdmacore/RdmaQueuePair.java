// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.AsyncEvent;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.RemoteMapping;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue pair. It is in INIT when the API calls it RESET, so that RECVs can be posted.
 *
 * <p>More than six tries for a peer without a RECV are for ever on a device: see {@link
 * RetryCodes}.
 */
final class RdmaQueuePair implements QueuePair {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaQueuePair.class);
  private static final Duration DRAIN_PATIENCE = Duration.ofSeconds(10);
  private static final Duration LAST_REQUEST_PATIENCE = Duration.ofMillis(200);
  private static final long DRAIN_PAUSE_NANOS = 100_000;

  // enum ibv_qp_state
  private static final int SEND_QUEUE_ERROR = 5;
  private static final int IN_ERROR = 6;

  private final RdmaProtectionDomain domain;
  private final RdmaDevice device;
  private final QueuePairAttributes attributes;
  private final RdmaCompletionQueue sendCompletions;
  private final RdmaCompletionQueue receiveCompletions;
  private final long handle;
  private final int number;
  private final SendQueue sendQueue;
  private final ReceiveQueue receiveQueue;

  /** A lock that is not spun on: ringing a doorbell may be a system call. */
  private final ReentrantLock sending = new ReentrantLock();

  private final ReentrantLock receiving = new ReentrantLock();
  private final AtomicReference<State> state = new AtomicReference<>(State.RESET);
  private volatile Conversation conversation;
  private volatile PathInUse pathInUse;
  private volatile boolean connecting;
  private volatile boolean lastRequestReached;
  private volatile boolean closed;

  /** Whether its device, not a caller or the peer, was first to break it. */
  private volatile boolean brokenByDevice;

  RdmaQueuePair(RdmaProtectionDomain domain, QueuePairAttributes attributes) {
    this.domain = domain;
    this.device = domain.device();
    this.attributes = attributes;
    this.sendCompletions = (RdmaCompletionQueue) attributes.sendCompletions();
    this.receiveCompletions = (RdmaCompletionQueue) attributes.receiveCompletions();
    long shared =
        attributes.sharedReceiveQueue() instanceof RdmaSharedReceiveQueue queue
            ? queue.handle()
            : 0;
    ByteBuffer made = NativeMemory.buffer(Integer.BYTES);
    this.handle =
        Failures.check(
            Native.queuePairCreate(
                domain.handle(),
                sendCompletions.handle(),
                receiveCompletions.handle(),
                shared,
                attributes.maxSendRequests() + SendQueue.EXTRA,
                attributes.maxReceiveRequests(),
                attributes.maxBuffers(),
                attributes.maxInline(),
                NativeMemory.address(made)),
            "creating a queue pair on " + device.name());
    this.number = made.getInt(0);
    this.sendQueue = new SendQueue(this, domain, attributes);
    this.receiveQueue = shared == 0 ? new ReceiveQueue(this, domain, attributes) : null;
    sendCompletions.attach(this);
    receiveCompletions.attach(this);
    device.enter(handle, this);
  }

  long handle() {
    return handle;
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public State state() {
    State now = state.get();
    if (now == State.READY_TO_SEND || now == State.SEND_QUEUE_DRAINED) {
      int real = Native.queuePairState(handle);
      if (real == IN_ERROR || real == SEND_QUEUE_ERROR) {
        foundBroken();
      }
    }
    return state.get();
  }

  @Override
  public void modify(State next) {
    State now = state();
    if (next == State.ERROR) {
      breakConnection();
    } else if (next == State.SEND_QUEUE_DRAINED && now == State.READY_TO_SEND) {
      state.compareAndSet(now, next);
      Failures.check(Native.queuePairHold(handle, true), "holding " + this);
    } else if (next == State.READY_TO_SEND && now == State.SEND_QUEUE_DRAINED) {
      Failures.check(Native.queuePairHold(handle, false), "letting " + this + " go on");
      state.compareAndSet(now, next);
    } else {
      throw new VerbsException(
          VerbsException.Code.INVALID_STATE, this + " can't go from " + now + " to " + next);
    }
  }

  @Override
  public QueuePairAttributes attributes() {
    return attributes;
  }

  @Override
  public Optional<String> carrier() {
    return conversation == null ? Optional.empty() : Optional.of(device.carrier());
  }

  @Override
  public void postReceive(ReceiveRequest request) {
    if (receiveQueue == null) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT, this + " draws from a shared receive queue");
    }
    receiving.lock();
    try {
      requireOpen();
      receiveQueue.post(request);
    } finally {
      receiving.unlock();
    }
    flushIfBroken();
  }

  @Override
  public void postSend(SendRequest request) {
    boolean posted;
    sending.lock();
    try {
      requireConnected();
      sendQueue.check(request);
      posted = sendQueue.post(request);
    } finally {
      sending.unlock();
    }
    if (!posted) {
      throw new VerbsException(
          VerbsException.Code.SEND_QUEUE_FULL,
          this + " has its " + attributes.maxSendRequests() + " requests");
    }
    flushIfBroken();
  }

  @Override
  public int postSend(SendRequest[] requests, int count) {
    int accepted;
    sending.lock();
    try {
      requireConnected();
      for (int i = 0; i < count; i++) {
        sendQueue.check(requests[i]);
      }
      accepted = sendQueue.post(requests, count);
    } finally {
      sending.unlock();
    }
    flushIfBroken();
    return accepted;
  }

  /** A device in software looks at the queues of a broken queue pair only when it is told. */
  private void flushIfBroken() {
    if (state.get() == State.ERROR && !closed) {
      Native.queuePairBreak(handle);
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new VerbsException(VerbsException.Code.INVALID_STATE, this + " is closed");
    }
  }

  private void requireConnected() {
    requireOpen();
    if (state.get() == State.RESET) {
      throw new VerbsException(VerbsException.Code.INVALID_STATE, this + " is not connected");
    }
  }

  /** Begins a connect or an accept, which a queue pair does once. */
  void beginConnecting() {
    synchronized (this) {
      if (state.get() == State.RESET && !connecting && !closed) {
        connecting = true;
        return;
      }
    }
    throw new VerbsException(
        VerbsException.Code.INVALID_STATE,
        this + " is " + state() + ", expected RESET and not connecting");
  }

  /** Brings the device's queue pair to READY_TO_SEND; the MTU that is in use. */
  int makeReady(Conversation with, int mtu) {
    ByteBuffer path = NativeMemory.buffer(PathLayout.SIZE);
    path.putInt(PathLayout.MTU_OFFSET, mtu);
    path.putInt(PathLayout.RNR_TIMER_OFFSET, RetryCodes.rnrTimer(attributes));
    path.putInt(PathLayout.RNR_RETRIES_OFFSET, RetryCodes.rnrRetries(attributes));
    path.putInt(PathLayout.TIMEOUT_OFFSET, RetryCodes.timeout(attributes));
    path.putInt(PathLayout.RETRIES_OFFSET, RetryCodes.retries());
    Failures.check(
        Native.queuePairReady(handle, with.id(), NativeMemory.address(path)), "connecting " + this);
    PathInUse used = PathInUse.read(path);
    if (used.gidType() == PathLayout.GID_TYPE_ROCE_V1) {
      throw new VerbsException(
          VerbsException.Code.UNREACHABLE,
          this
              + " would use GID "
              + used.gidIndex()
              + " of type RoCE v1, which is not routed; set default_roce_mode of "
              + device.name()
              + " to \"RoCE v2\" (cma_roce_mode)");
    }
    LOG.debug("{}: {}", this, used);
    pathInUse = used;
    return used.mtu();
  }

  /** How it reaches its peer; null before it could. */
  PathInUse pathInUse() {
    return pathInUse;
  }

  /**
   * The peer is about to learn that it may send, and what it sends may be here, and be answered,
   * before the event that the connection stands.
   */
  void mayHearOfPeer() {
    state.compareAndSet(State.RESET, State.READY_TO_SEND);
  }

  /** The connection stands. */
  void connected(Conversation with) {
    conversation = with;
    state.compareAndSet(State.RESET, State.READY_TO_SEND);
    with.connected(this);
    if (state.get() == State.ERROR) {
      // Broken while it connected, when there was no conversation to end yet.
      Native.idDisconnect(with.id());
    }
    if (closed) {
      // By a thread that may have seen none either.
      with.close();
    }
  }

  /** Event thread: the connection manager says something about a connection that stood. */
  void connectionEvent(ConnectionEvent event) {
    switch (event.type()) {
      case DISCONNECTED, DEVICE_REMOVED, CONNECT_ERROR, UNREACHABLE, REJECTED -> breakConnection();
      default -> LOG.debug("{}: {}", this, event.type());
    }
  }

  /** Poller: a request ended with an error, so the device's queue pair is in ERROR. */
  void failed(CompletionStatus status) {
    if (state.get() != State.ERROR) {
      LOG.debug("{} broke: {}", this, status);
      foundBroken();
    }
  }

  boolean isBroken() {
    return state.get() == State.ERROR;
  }

  /** Whether nobody has broken it but its device, if anyone. */
  boolean isAsItsDeviceLeftIt() {
    return brokenByDevice || state.get() != State.ERROR;
  }

  private void foundBroken() {
    brokenByDevice = state.get() != State.ERROR;
    breakConnection();
  }

  /** Goes to ERROR, once: what is outstanding is flushed, the peer is told. */
  void breakConnection() {
    if (state.getAndSet(State.ERROR) == State.ERROR) {
      return;
    }
    sendCompletions.broken();
    receiveCompletions.broken();
    // Neither can fail in a way that matters: it is in ERROR, or not connected, already then.
    Native.queuePairBreak(handle);
    Conversation with = conversation;
    if (with != null) {
      Native.idDisconnect(with.id());
    }
  }

  /** The queue pair can't go on, which no completion tells. */
  void failFatally() {
    brokenByPeer(AsyncEvent.Type.QUEUE_PAIR_FATAL);
  }

  /** Event thread: the device broke it, for that reason. */
  void brokenByPeer(AsyncEvent.Type reason) {
    raise(reason);
    breakConnection();
  }

  /** Event thread: what began before it was held is done. */
  void drained() {
    if (state.get() == State.SEND_QUEUE_DRAINED) {
      raise(AsyncEvent.Type.SEND_QUEUE_DRAINED);
    }
  }

  /** Event thread: it takes no more of its shared receive queue. */
  void lastRequestReached() {
    // In this order: who closes waits for the one and then drops the other.
    raise(AsyncEvent.Type.LAST_REQUEST_REACHED);
    lastRequestReached = true;
  }

  private void raise(AsyncEvent.Type type) {
    if (!closed) {
      device.events().raise(new AsyncEvent.OfQueuePair(type, this));
    }
  }

  @Override
  public Optional<RemoteMapping> mapRemote(long remoteAddress, long length, int remoteKey) {
    if (state.get() != State.READY_TO_SEND) {
      throw new VerbsException(VerbsException.Code.INVALID_STATE, this + " is not connected");
    }
    return Optional.empty();
  }

  @Override
  public void disconnect() {
    breakConnection();
  }

  @Override
  public void close() {
    sending.lock();
    receiving.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
    } finally {
      receiving.unlock();
      sending.unlock();
    }
    boolean wasReady = state.get() != State.RESET;
    breakConnection();
    boolean finished = finish(wasReady);
    new Teardown()
        .step(this::endWindows)
        .step(() -> Failures.check(Native.queuePairDestroy(handle), "closing " + this))
        .step(this::endConversation)
        .step(() -> leave(finished))
        .end();
  }

  private void endWindows() {
    if (device.isSoftRoce()) {
      domain.endWindowsOf(this);
    }
  }

  private void endConversation() {
    if (conversation != null) {
      conversation.close();
    }
  }

  private void leave(boolean finished) {
    device.leave(handle);
    sendCompletions.detach(this);
    receiveCompletions.detach(this);
    if (finished) {
      device.workQueues().leave(sendQueue.number());
      if (receiveQueue != null) {
        device.workQueues().leave(receiveQueue.number());
      }
    } else {
      LOG.warn("{} closed with requests that its device did not flush", this);
    }
    device.events().forget(this);
    domain.release(this);
  }

  /** Waits until all requests are flushed and their completions put aside; false at a deadline. */
  private boolean finish(boolean wasReady) {
    if (wasReady) {
      sending.lock();
      try {
        sendQueue.finish();
      } finally {
        sending.unlock();
      }
    }
    Native.queuePairBreak(handle);
    Deadline deadline = Deadline.after(DRAIN_PATIENCE);
    Deadline lastRequest = Deadline.after(LAST_REQUEST_PATIENCE);
    while (true) {
      boolean waits =
          receiveQueue == null && wasReady && !lastRequestReached && !lastRequest.hasPassed();
      sendCompletions.putAside();
      receiveCompletions.putAside();
      if (sendQueue.isFinished() && (receiveQueue == null || receiveQueue.isFinished()) && !waits) {
        return true;
      }
      if (deadline.hasPassed() || sendCompletions.isOverrun() || receiveCompletions.isOverrun()) {
        return false;
      }
      LockSupport.parkNanos(DRAIN_PAUSE_NANOS);
    }
  }

  @Override
  public String toString() {
    return "queue pair " + number + " of " + device.name();
  }
}
