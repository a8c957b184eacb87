// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.RemoteMapping;
import java.util.Optional;

/**
 * Carrier shm: the thread that runs the send queue is the processing unit of both ends. It copies
 * straight between the two processes' memory and writes the peer's completion; the peer's CPU takes
 * no part.
 */
final class ShmConnection implements Connection {
  /** Copying that one run may do before it leaves the rest to the next. */
  private static final long BUDGET = 1 << 20;

  /** Bytes copied under one announcement, so that a revocation never waits long. */
  private static final int CHUNK = 1 << 18;

  private final SoftQueuePair queuePair;
  private final SendQueue queue;
  private final RegionAccess local;
  private final ShmLink link;
  private final MappedMemory peerArea;
  private final Responder peer;
  private final ShmQword qword;
  private final ShmFlush flush;
  private final WindowOperations windows;
  private final ShmMappedReaders readers;
  private final Errand errand;
  private final ErrandDesk desk;
  private final MissingReceive missing;
  private final FaultPort faults;
  private final WorkEntry entry = new WorkEntry();

  private boolean started;
  private boolean invalidated;
  private long invalidatedAt;
  private long done;
  private long budget;
  private volatile long breakCode = BreakCode.PLAIN;

  ShmConnection(SoftQueuePair queuePair, SoftDevice device, ShmLink link, MappedMemory peerArea) {
    this.queuePair = queuePair;
    this.queue = queuePair.sendQueue();
    this.local = queuePair.localAccess();
    this.link = link;
    this.faults = device.faults();
    this.peerArea = peerArea;
    this.peer =
        new Responder(
            peerArea,
            QueuePairAreaLayout.readFrom(peerArea),
            link.peerDeviceArea(),
            link.peerKeys(),
            link.peerSegments(),
            faults);
    this.windows = new WindowOperations(queuePair, device);
    this.flush = new ShmFlush(queuePair, link, peerArea, peer);
    this.readers = new ShmMappedReaders(queuePair, peerArea, link, peer);
    this.errand = new Errand(queuePair, link, peerArea, peer);
    this.qword =
        new ShmQword(new RemoteQword(peer, faults, queuePair.runner()::isForOthers), errand);
    this.missing = new MissingReceive(queuePair, link, peer);
    this.desk = new ErrandDesk(queuePair, link, peerArea);
  }

  @Override
  public String carrier() {
    return "shm";
  }

  @Override
  public Progress run() {
    budget = BUDGET;
    while (queuePair.isReady()) {
      if (!started && !start()) {
        return queuePair.isReady() ? Progress.IDLE : Progress.BROKEN;
      }
      Progress stopped =
          switch (entry.opcode()) {
            case WorkQueueEntryLayout.READ -> read();
            case WorkQueueEntryLayout.COMPARE_AND_SWAP,
                WorkQueueEntryLayout.FETCH_AND_ADD,
                WorkQueueEntryLayout.ATOMIC_WRITE ->
                qword();
            case WorkQueueEntryLayout.FLUSH -> unlessWaiting(flush.run(entry));
            case WorkQueueEntryLayout.SEND,
                WorkQueueEntryLayout.SEND_IMMEDIATE,
                WorkQueueEntryLayout.SEND_INVALIDATE ->
                send();
            case WorkQueueEntryLayout.UMR, WorkQueueEntryLayout.LOCAL_INVALIDATE ->
                unlessWaiting(windows.run(entry));
            default -> write();
          };
      if (stopped != null) {
        return stopped;
      }
      started = false;
      queuePair.completeSend(entry.isSignaled(), CompletionStatus.SUCCESS, (int) entry.total());
    }
    return Progress.BROKEN;
  }

  @Override
  public void letGo() {
    peer.letGo();
    local.letGo();
  }

  @Override
  public boolean hasMore() {
    return queue.hasWork();
  }

  private boolean start() {
    if (!queue.hasWork() || queuePair.runner().isHeld()) {
      return false;
    }
    if (!queue.load(queue.executed(), entry)) {
      fail(CompletionStatus.LOCAL_QP_OPERATION_ERROR);
      return false;
    }
    if (!entry.hasRightLength()) {
      fail(CompletionStatus.LOCAL_LENGTH_ERROR);
      return false;
    }
    started = true;
    invalidated = false;
    done = 0;
    missing.found();
    faults.at(FaultStep.ENTRY_COPIED);
    return true;
  }

  /** Null when the WRITE is done, else why it stopped. */
  private Progress write() {
    while (done < entry.total()) {
      int run = nextRun();
      if (run == 0) {
        return Progress.OUT_OF_BUDGET;
      }
      Progress stopped = transfer(run, KeyTable.REMOTE_WRITE, 0);
      if (stopped != null) {
        return stopped;
      }
    }
    return entry.opcode() == WorkQueueEntryLayout.WRITE_IMMEDIATE ? deliverImmediate() : null;
  }

  private Progress read() {
    while (done < entry.total()) {
      int run = nextRun();
      if (run == 0) {
        return Progress.OUT_OF_BUDGET;
      }
      Progress stopped = transfer(run, KeyTable.REMOTE_READ, KeyTable.LOCAL_WRITE);
      if (stopped != null) {
        return stopped;
      }
    }
    return null;
  }

  private Progress qword() {
    if (budget <= 0) {
      return Progress.OUT_OF_BUDGET;
    }
    if (!entry.isWritable(local)) {
      return fail(CompletionStatus.LOCAL_PROTECTION_ERROR);
    }
    Progress stopped = unlessWaiting(qword.run(entry));
    if (stopped != null) {
      return stopped;
    }
    budget -= Long.BYTES;
    return !entry.isAtomic() || entry.scatterFound(local, qword.found())
        ? null
        : fail(CompletionStatus.LOCAL_PROTECTION_ERROR);
  }

  private Progress unlessWaiting(CompletionStatus status) {
    if (status == null) {
      return Progress.WAITING;
    }
    return status == CompletionStatus.SUCCESS ? null : fail(status);
  }

  /** Null once the key is dead and no mapped reader of this process is inside it. */
  private Progress invalidate() {
    if (!invalidated && !peer.region().invalidate(entry.immediate())) {
      endReceive(CompletionStatus.REMOTE_INVALID_REQUEST, 0);
      return fail(CompletionStatus.REMOTE_ACCESS_ERROR);
    }
    if (!invalidated) {
      invalidated = true;
      invalidatedAt = System.nanoTime();
      faults.at(FaultStep.WINDOW_SHUT);
    }
    if (peer.announces(entry.immediate())) {
      peer.pause();
      if (queuePair.isTooLongSince(invalidatedAt, "a mapped reader of this process")) {
        return fail(CompletionStatus.GENERAL_ERROR);
      }
      return Progress.WAITING;
    }
    return null;
  }

  private int nextRun() {
    return entry.run(Math.min(budget, CHUNK));
  }

  /** Copies one run between the entry's buffers and the peer's region. */
  private Progress transfer(int run, int remoteAccess, int localAccess) {
    boolean isRead = remoteAccess == KeyTable.REMOTE_READ;
    if (errand.isWaiting()) {
      return takeAnswer(isRead);
    }
    if (!entry.isInline() && entry.open(local, run, localAccess) != RegionAccess.Outcome.OPEN) {
      return fail(CompletionStatus.LOCAL_PROTECTION_ERROR);
    }
    faults.at(FaultStep.BUFFER_OPENED);
    RegionAccess remote = peer.region();
    RegionAccess.Outcome outcome =
        remote.open(entry.remoteKey(), entry.remoteAddress() + done, run, remoteAccess);
    if (outcome == RegionAccess.Outcome.UNREACHABLE) {
      fillBounce(isRead ? 0 : run);
      int opcode = isRead ? WorkQueueEntryLayout.READ : WorkQueueEntryLayout.WRITE;
      errand.askCopy(opcode, entry.remoteKey(), entry.remoteAddress() + done, run);
      return Progress.WAITING;
    }
    if (outcome != RegionAccess.Outcome.OPEN) {
      closeLocal();
      return fail(Responder.denied(outcome));
    }
    boolean alive = peer.isAlive();
    if (alive) {
      copy(remote, run, isRead);
    }
    remote.close();
    closeLocal();
    return alive ? null : fail(CompletionStatus.TRANSPORT_RETRY_EXCEEDED);
  }

  /** Copies the entry's next bytes into the errand's bounce buffer, and closes the local one. */
  private void fillBounce(int run) {
    try {
      MappedMemory bounce = errand.bounce();
      if (entry.isInline()) {
        bounce.put(0, entry.bytes(), entry.inlinePosition(), run);
      } else {
        local.memory().copyTo(local.offset(), bounce, 0, run);
      }
    } finally {
      closeLocal();
    }
  }

  /** Goes on with a transfer for which the owner was asked. */
  private Progress takeAnswer(boolean isRead) {
    CompletionStatus status = errand.answer();
    if (status == null) {
      return Progress.WAITING;
    }
    if (status != CompletionStatus.SUCCESS) {
      return fail(status);
    }
    int run = errand.length();
    if (isRead) {
      if (entry.open(local, run, KeyTable.LOCAL_WRITE) != RegionAccess.Outcome.OPEN) {
        return fail(CompletionStatus.LOCAL_PROTECTION_ERROR);
      }
      errand.bounce().copyTo(0, local.memory(), local.offset(), run);
      local.close();
    }
    moved(run);
    return null;
  }

  private void moved(int run) {
    entry.advance(run);
    done += run;
    budget -= run;
  }

  private void closeLocal() {
    if (!entry.isInline()) {
      local.close();
    }
  }

  private void copy(RegionAccess remote, int run, boolean fromRemote) {
    int first = faults.firstPart(run);
    copy(remote, 0, first, fromRemote);
    if (first < run) {
      faults.at(FaultStep.PARTLY_COPIED);
      copy(remote, first, run - first, fromRemote);
    }
    queuePair.runner().requireWhole(remote);
    if (!entry.isInline()) {
      queuePair.runner().requireWhole(local);
    }
    moved(run);
    faults.at(FaultStep.COPIED);
  }

  private void copy(RegionAccess remote, int from, int length, boolean fromRemote) {
    long there = remote.offset() + from;
    if (entry.isInline()) {
      remote.memory().put(there, entry.bytes(), entry.inlinePosition() + from, length);
    } else if (fromRemote) {
      remote.memory().copyTo(there, local.memory(), local.offset() + from, length);
    } else {
      local.memory().copyTo(local.offset() + from, remote.memory(), there, length);
    }
  }

  private Progress send() {
    Progress notTaken = takeReceive();
    if (notTaken != null) {
      return notTaken;
    }
    if (entry.total() > peer.capacity()) {
      endReceive(CompletionStatus.LOCAL_LENGTH_ERROR, 0);
      return fail(CompletionStatus.REMOTE_INVALID_REQUEST, true);
    }
    while (done < entry.total()) {
      if (errand.isWaiting()) {
        Progress stopped = takeSendAnswer();
        if (stopped != null) {
          return stopped;
        }
        continue;
      }
      int run = peer.room(nextRun());
      if (run == 0) {
        peer.pause();
        return Progress.OUT_OF_BUDGET;
      }
      if (!entry.isInline() && entry.open(local, run, 0) != RegionAccess.Outcome.OPEN) {
        peer.pause();
        return fail(CompletionStatus.LOCAL_PROTECTION_ERROR);
      }
      RegionAccess.Outcome outcome = peer.openReceiveBuffer(run);
      if (outcome == RegionAccess.Outcome.UNREACHABLE) {
        peer.pause();
        fillBounce(run);
        errand.askCopy(WorkQueueEntryLayout.SEND, peer.receiveKey(), peer.receiveAddress(), run);
        return Progress.WAITING;
      }
      if (outcome != RegionAccess.Outcome.OPEN) {
        closeLocal();
        return receiveDenied();
      }
      copy(peer.region(), run, false);
      peer.advance(run);
      peer.region().close();
      closeLocal();
    }
    int flags = 0;
    if (entry.opcode() == WorkQueueEntryLayout.SEND_INVALIDATE) {
      Progress stopped = invalidate();
      if (stopped != null) {
        return stopped;
      }
      flags = CompletionLane.INVALIDATED;
    } else if (entry.opcode() == WorkQueueEntryLayout.SEND_IMMEDIATE) {
      flags = CompletionLane.IMMEDIATE;
    }
    endReceive(CompletionStatus.SUCCESS, flags);
    return null;
  }

  /** Goes on with a SEND whose RECV's buffer only the owner can fill. */
  private Progress takeSendAnswer() {
    CompletionStatus status = errand.answer();
    if (status == CompletionStatus.SUCCESS) {
      peer.advance(errand.length());
      moved(errand.length());
      return null;
    }
    if (status == CompletionStatus.REMOTE_ACCESS_ERROR) {
      return receiveDenied();
    }
    peer.pause();
    return status == null ? Progress.WAITING : fail(status);
  }

  private Progress receiveDenied() {
    endReceive(CompletionStatus.LOCAL_PROTECTION_ERROR, 0);
    return fail(CompletionStatus.REMOTE_OPERATION_ERROR);
  }

  private void endReceive(CompletionStatus status, int flags) {
    deliver(status, Opcode.RECEIVE, flags);
  }

  private Progress deliverImmediate() {
    Progress notTaken = takeReceive();
    if (notTaken == null) {
      deliver(
          CompletionStatus.SUCCESS, Opcode.RECEIVE_WRITE_WITH_IMMEDIATE, CompletionLane.IMMEDIATE);
    }
    return notTaken;
  }

  private void deliver(CompletionStatus status, Opcode opcode, int flags) {
    int all = flags | (entry.isSolicited() ? CompletionLane.SOLICITED : 0);
    boolean wake =
        peer.deliver(
            WireCodes.of(status),
            WireCodes.of(opcode),
            all,
            (int) entry.total(),
            entry.immediate());
    if (wake) {
      link.wakePeer();
      faults.at(FaultStep.WOKEN);
    }
    if (peer.reachedMark()) {
      link.tellToLookAtLanes();
    }
  }

  private Progress takeReceive() {
    switch (peer.takeReceive()) {
      case TAKEN -> {
        missing.found();
        return null;
      }
      case BROKEN -> {
        return fail(CompletionStatus.TRANSPORT_RETRY_EXCEEDED);
      }
      default -> {
        return missing.mayWait(System.nanoTime())
            ? Progress.RECEIVER_NOT_READY
            : fail(CompletionStatus.RNR_RETRY_EXCEEDED);
      }
    }
  }

  private Progress fail(CompletionStatus status) {
    return fail(status, false);
  }

  private Progress fail(CompletionStatus status, boolean receiveTells) {
    breakCode = BreakCode.of(status, receiveTells);
    started = false;
    queuePair.failSend(status);
    return Progress.BROKEN;
  }

  @Override
  public boolean isDrained() {
    return !started;
  }

  @Override
  public void tellBroken() {
    peer.breakTarget(breakCode);
    link.tellBroke();
  }

  @Override
  public boolean isQuiet() {
    return link.isDead() || queuePair.hazardsAreClear();
  }

  @Override
  public Optional<RemoteMapping> mapRemote(long address, long length, int key) {
    return readers.open(address, length, key);
  }

  @Override
  public void serveErrand() {
    desk.serve();
  }

  @Override
  public void leaveDeviceThread() {}

  @Override
  public void quiesceReaders() {
    readers.quiesce();
  }

  @Override
  public void close() {
    // While attached, the link waits for the readers before it unmaps what they may be in.
    readers.close();
    errand.close();
    peerArea.close();
    link.detach(queuePair);
  }
}
