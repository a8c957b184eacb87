// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.Fences;
import dev.verbena.memory.MappedMemory;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AsyncEvent;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.RemoteMapping;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue pair of the software NIC. Posters share the post claim; whoever holds the run claim is
 * the processing unit of the send queue; completions are taken under the completion queues' claims.
 */
final class SoftQueuePair implements QueuePair {
  private static final Logger LOG = LoggerFactory.getLogger(SoftQueuePair.class);

  private final SoftProtectionDomain domain;
  private final SoftDevice device;
  private final QueuePairAttributes attributes;
  private final int number;
  private final Path file;
  private final QueuePairAreaLayout layout;
  private final MappedMemory area;
  private final SendQueue sendQueue;
  private final CompletionLane sendLane;
  private final SoftCompletionQueue sendCompletions;
  private final SendCompletions sendSource;
  private final ReceiveSide receiveSide;
  private final RegionAccess localAccess;
  private final QueuePairHazards hazards;
  private final FlushDesk flushDesk;
  private final SpinClaim postClaim = new SpinClaim();
  private final SendRunner runner;
  private final AtomicReference<State> state = new AtomicReference<>(State.RESET);
  private volatile Connection connection;
  private final CountDownLatch closing = new CountDownLatch(1);
  private boolean closed;

  SoftQueuePair(
      SoftProtectionDomain domain,
      QueuePairAttributes attributes,
      int number,
      Path file,
      QueuePairAreaLayout layout,
      MappedMemory area) {
    this.domain = domain;
    this.device = domain.device();
    this.attributes = attributes;
    this.number = number;
    this.file = file;
    this.layout = layout;
    this.area = area;
    this.sendCompletions = (SoftCompletionQueue) attributes.sendCompletions();
    layout.writeTo(
        area,
        number,
        domain.number(),
        ((SoftCompletionQueue) attributes.receiveCompletions()).number(),
        attributes.sharedReceiveQueue() != null);
    this.runner = new SendRunner(this, device, sendCompletions);
    this.sendQueue = new SendQueue(area, layout, attributes, number);
    this.sendLane = new CompletionLane(area, layout.sendLane(), layout.sendDepth());
    this.localAccess =
        Responder.regionAccess(
            area,
            QueuePairAreaLayout.LOCAL_HAZARD,
            device.keys(),
            device.segments(),
            FaultPort.OFF);
    this.hazards = new QueuePairHazards(area);
    this.flushDesk =
        new FlushDesk(area, domain.number(), device.persister()::persist, device.faults());
    this.sendSource = new SendCompletions(this, sendQueue, sendLane);
    this.receiveSide = new ReceiveSide(this, device, attributes, layout, area);
    sendCompletions.attach(sendSource);
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public State state() {
    State now = state.get();
    return now == State.READY_TO_SEND && runner.isHeld() ? State.SEND_QUEUE_DRAINED : now;
  }

  @Override
  public void modify(State next) {
    State now = state();
    if (next == State.ERROR) {
      breakConnection();
    } else if (next == State.SEND_QUEUE_DRAINED && now == State.READY_TO_SEND) {
      runner.hold();
    } else if (next == State.READY_TO_SEND && now == State.SEND_QUEUE_DRAINED) {
      runner.letGo();
    } else {
      throw new VerbsException(
          VerbsException.Code.INVALID_STATE,
          "queue pair " + number + " can't go from " + now + " to " + next);
    }
  }

  @Override
  public QueuePairAttributes attributes() {
    return attributes;
  }

  @Override
  public Optional<String> carrier() {
    return Optional.ofNullable(connection).map(Connection::carrier);
  }

  @Override
  public void postReceive(ReceiveRequest request) {
    postClaim.claim();
    try {
      requireOpen();
      receiveSide.post(request);
    } finally {
      postClaim.release();
    }
    if (isBroken()) {
      receiveSide.completionAdded();
    }
  }

  @Override
  public void postSend(SendRequest request) {
    boolean written;
    postClaim.claim();
    try {
      requireConnected();
      sendQueue.check(request);
      written = sendQueue.write(request);
      sendQueue.ring();
    } finally {
      postClaim.release();
    }
    if (!written) {
      throw new VerbsException(
          VerbsException.Code.SEND_QUEUE_FULL,
          "queue pair " + number + " has its " + attributes.maxSendRequests() + " requests");
    }
    afterPost();
  }

  @Override
  public int postSend(SendRequest[] requests, int count) {
    int accepted = 0;
    postClaim.claim();
    try {
      requireConnected();
      for (int i = 0; i < count; i++) {
        sendQueue.check(requests[i]);
      }
      while (accepted < count && sendQueue.write(requests[accepted])) {
        accepted++;
      }
      sendQueue.ring();
    } finally {
      postClaim.release();
    }
    afterPost();
    return accepted;
  }

  private void afterPost() {
    if (isBroken()) {
      sendCompletions.completionAdded(true);
    } else {
      runner.drive();
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new VerbsException(
          VerbsException.Code.INVALID_STATE, "queue pair " + number + " is closed");
    }
  }

  private void requireConnected() {
    requireOpen();
    if (state.get() == State.RESET) {
      throw new VerbsException(
          VerbsException.Code.INVALID_STATE, "queue pair " + number + " is not connected");
    }
  }

  /** Waits until whoever runs the send queue or reads through a mapping has let go once. */
  void quiesce() {
    runner.quiesce();
    Connection to = connection;
    if (to != null) {
      to.quiesceReaders();
    }
  }

  /** The responder half on this queue pair's own area, for requests that come in by tcp. */
  Responder ownResponder() {
    return new Responder(
        area, layout, device.area(), device.keys(), device.segments(), device.faults());
  }

  int sendDepth() {
    return layout.sendDepth();
  }

  /** Whether requests of the peer may run: from joining on until it breaks. */
  boolean isLettingIn() {
    return area.getLongAcquire(QueuePairAreaLayout.OWNER_STATE_OFFSET)
        == QueuePairAreaLayout.CONNECTED;
  }

  ReceiveSide receiveSide() {
    return receiveSide;
  }

  /** The peer is gone: what it did not answer failed, the rest is flushed. */
  void peerLost() {
    if (runner.claimRun()) {
      try {
        if (isReady() && sendQueue.hasWork()) {
          failSend(CompletionStatus.TRANSPORT_RETRY_EXCEEDED);
        }
      } finally {
        runner.claim().release();
      }
    }
    breakConnection();
  }

  SoftProtectionDomain domain() {
    return domain;
  }

  SendRunner runner() {
    return runner;
  }

  Connection connection() {
    return connection;
  }

  SendQueue sendQueue() {
    return sendQueue;
  }

  RegionAccess localAccess() {
    return localAccess;
  }

  MappedMemory area() {
    return area;
  }

  long rnrTimeoutNanos() {
    return attributes.rnrTimeout().toNanos();
  }

  /** Whether {@code peer} was given its time for an answer, of which the log then tells. */
  boolean isTooLongSince(long askedAt, Object peer) {
    boolean isTooLong = System.nanoTime() - askedAt > attributes.answerTimeout().toNanos();
    if (isTooLong) {
      LOG.warn("{}: {} is silent for {}", this, peer, attributes.answerTimeout());
    }
    return isTooLong;
  }

  boolean isReady() {
    return state.get() == State.READY_TO_SEND;
  }

  boolean isBroken() {
    return state.get() == State.ERROR;
  }

  /** Engine: the oldest request is done. */
  void completeSend(boolean signaled, CompletionStatus status, int byteLength) {
    long request = sendQueue.executed();
    sendQueue.markExecuted();
    if (signaled) {
      int opcode = WireCodes.of(WireCodes.completed(sendQueue.operation(request)));
      sendLane.add(WireCodes.of(status), opcode, 0, 0, byteLength, 0, request);
      sendCompletions.completionAdded(status != CompletionStatus.SUCCESS);
      if (sendSource.reachedMark()) {
        sendCompletions.checkBound();
      }
    }
    device.faults().at(FaultStep.COMPLETED);
  }

  /** Engine: the oldest request failed, which breaks the connection. */
  void failSend(CompletionStatus status) {
    completeSend(true, status, 0);
    breakConnection();
  }

  void requireReset() {
    if (state.get() != State.RESET || connection != null) {
      throw new VerbsException(
          VerbsException.Code.INVALID_STATE,
          "queue pair " + number + " is " + state.get() + ", expected RESET and not connecting");
    }
  }

  /** Joins to a queue pair of a shm peer; see {@link #join}. */
  void joinOver(ShmLink link, MappedMemory peerArea) {
    boolean joined = false;
    try {
      Connection to = new ShmConnection(this, device, link, peerArea);
      if (!link.attach(this)) {
        throw new VerbsException(VerbsException.Code.DISCONNECTED, "the peer is gone");
      }
      join(to);
      joined = true;
    } finally {
      if (!joined) {
        link.detach(this);
        peerArea.close();
      }
    }
  }

  /** Joins to a peer and lets it in; {@link #ready} lets requests out. */
  void join(Connection to) {
    requireReset();
    connection = to;
    receiveSide.joined();
    // One that broke meanwhile lets nobody in.
    area.compareAndSetLong(
        QueuePairAreaLayout.OWNER_STATE_OFFSET,
        QueuePairAreaLayout.NOT_CONNECTED,
        QueuePairAreaLayout.CONNECTED);
  }

  void ready() {
    state.compareAndSet(State.RESET, State.READY_TO_SEND);
    device.directory().delete(file);
  }

  /** Goes to ERROR, once: what is outstanding is flushed, the peer is told. */
  void breakConnection() {
    if (isBroken()) {
      return;
    }
    // First for the peer: a poller that sees the error goes by the announcements.
    area.putLongRelease(QueuePairAreaLayout.OWNER_STATE_OFFSET, QueuePairAreaLayout.BROKEN);
    Fences.full();
    if (state.getAndSet(State.ERROR) == State.ERROR) {
      return;
    }
    Connection to = connection;
    if (to != null) {
      to.tellBroken();
    }
    sendCompletions.completionAdded(true);
    receiveSide.broken();
  }

  /** Device thread: breaks too if the peer said that it broke the connection. */
  void breakIfPeerBroke() {
    long code = area.getLongAcquire(QueuePairAreaLayout.PEER_WORD_OFFSET);
    if (code != 0 && !isBroken()) {
      raise(BreakCode.event(code));
      breakConnection();
    }
  }

  /** Raises an asynchronous event of this queue pair, if there is one. */
  void raise(AsyncEvent.Type type) {
    if (type != null) {
      device.events().raise(new AsyncEvent.OfQueuePair(type, this));
    }
  }

  /** The queue pair can't go on, which no completion tells. */
  void failFatally() {
    raise(AsyncEvent.Type.QUEUE_PAIR_FATAL);
    breakConnection();
  }

  /** Whether no peer is between an announcement and its end in this queue pair's area. */
  boolean hazardsAreClear() {
    return hazards.areClear();
  }

  /** Whether someone announced key slot {@code slot} through this queue pair. */
  boolean announces(int keySlot) {
    return hazards.ownerAnnounces(keySlot) || (hazards.peerAnnounces(keySlot) && !peerIsOut());
  }

  /** Device thread: a shm peer left a FLUSH in some queue pair's area. */
  void serveFlush() {
    if (isLettingIn()) {
      flushDesk.serve();
    }
  }

  boolean peerIsOut() {
    Connection to = connection;
    return to == null || to.isQuiet();
  }

  @Override
  public Optional<RemoteMapping> mapRemote(long remoteAddress, long length, int remoteKey) {
    Connection to = connection;
    if (to == null || !isReady()) {
      throw new VerbsException(
          VerbsException.Code.INVALID_STATE, "queue pair " + number + " is not connected");
    }
    return to.mapRemote(remoteAddress, length, remoteKey);
  }

  @Override
  public void disconnect() {
    breakConnection();
  }

  private static void leaveDeviceThread(Connection connection) {
    if (connection != null) {
      connection.leaveDeviceThread();
    }
  }

  @Override
  public void close() {
    postClaim.claim();
    try {
      if (closed) {
        return;
      }
      closed = true;
    } finally {
      postClaim.release();
    }
    breakConnection();
    runner.retire();
    device.directory().delete(file);
    boolean quiet = device.awaitTrue(this::peerIsOut, Deadline.after(device.faults().patience()));
    Connection to = connection;
    device.thread().executeAndWait(() -> leaveDeviceThread(to));
    quiet &= device.awaitTrue(flushDesk::isIdle, Deadline.after(device.faults().patience()));
    if (!quiet) {
      // Before the device forgets the queue pair: its announcements must count without a gap.
      device.quarantine().hold(this);
    }
    domain.release(this);
    sendCompletions.detach(sendSource);
    receiveSide.close(quiet);
    // On the device thread, which may be about to raise another one.
    device.thread().executeAndWait(() -> device.events().forget(this));
    if (to != null) {
      to.close();
    }
    closing.countDown();
    if (quiet) {
      area.close();
    }
  }

  /** Whether a queue pair that closed is done with: nobody touches its area any more. */
  boolean isLeft() {
    return closing.getCount() == 0 && peerIsOut() && flushDesk.isIdle();
  }

  /** Device thread: the peer that had stopped inside is out. */
  void leaveQuarantine() {
    receiveSide.peerLeft();
    area.close();
  }

  @Override
  public String toString() {
    return "queue pair " + number;
  }
}
