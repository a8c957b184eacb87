// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.RemoteMapping;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carrier tcp: whoever runs the send queue puts requests into frames; the peer's device thread
 * executes them and answers; this device's thread takes the answers in. Requests stay in the send
 * queue until they are answered. All but {@link #target} is used under the run claim.
 */
final class TcpConnection implements Connection {
  private static final Logger LOG = LoggerFactory.getLogger(TcpConnection.class);

  /** Copying that one run may do before it leaves the rest to the next. */
  private static final long BUDGET = 1 << 20;

  private static final long RETRY_NANOS = 1_000_000;

  private final SoftQueuePair queuePair;
  private final SendQueue queue;
  private final RegionAccess local;
  private final TcpLink link;
  private final FaultPort faults;
  private final int remote;
  private final TcpTarget target;
  private final WindowOperations windows;
  private final WorkEntry entry = new WorkEntry();
  private final WorkEntry reading = new WorkEntry();
  private final int[] lengths;
  private final boolean[] signaled;
  private final int mask;

  private volatile long sent;
  private volatile boolean fenced;
  private volatile boolean wireFull;
  private volatile long framesSent;
  private final AnswerWatch watch;

  /** Answers of the peer taken in; the device thread counts. */
  private long answers;

  /** Requests below this number went out at least once. */
  private long begun;

  private boolean started;

  /** Of an entry that concerns a window: whether it was begun with, and whether it is done. */
  private boolean windowBegun;

  private boolean windowDone;
  private int done;
  private long latestRead = -1;
  private long latestFlush = -1;
  private long readingRequest = -1;
  private int readDone;
  private volatile long failedRequest = -1;
  private CompletionStatus failure = CompletionStatus.SUCCESS;
  private long notReadySince;
  private long retryAt;

  TcpConnection(SoftQueuePair queuePair, TcpLink link, int remote) {
    this.queuePair = queuePair;
    this.queue = queuePair.sendQueue();
    this.local = queuePair.localAccess();
    this.link = link;
    this.faults = link.device().faults();
    this.remote = remote;
    this.windows = new WindowOperations(queuePair, link.device());
    this.target = new TcpTarget(this, queuePair, link, remote);
    this.watch =
        new AnswerWatch(this, link.device().thread(), queuePair.attributes().answerTimeout());
    int depth = queuePair.sendDepth();
    this.lengths = new int[depth];
    this.signaled = new boolean[depth];
    this.mask = depth - 1;
  }

  @Override
  public String carrier() {
    return "tcp";
  }

  int number() {
    return queuePair.number();
  }

  SoftQueuePair queuePair() {
    return queuePair;
  }

  TcpTarget target() {
    return target;
  }

  @Override
  public Progress run() {
    if (retryAt != 0 && System.nanoTime() - retryAt < 0) {
      return Progress.RECEIVER_NOT_READY;
    }
    retryAt = 0;
    if (failedRequest >= 0 || sent >= queue.doorbell()) {
      return Progress.IDLE;
    }
    link.writer().claim().claim();
    try {
      Progress progress = sendWhatFits();
      if (!link.writer().flush()) {
        link.awaitWritable();
      }
      return progress;
    } catch (IOException e) {
      link.device().thread().execute(() -> link.failed(e));
      // Not IDLE: the device thread would try again for ever, and never get to end the link.
      return Progress.BROKEN;
    } finally {
      link.writer().claim().release();
    }
  }

  @Override
  public void letGo() {
    local.letGo();
  }

  /** Device thread: something that changes as long as requests go out or are answered. */
  long progress() {
    return framesSent + answers;
  }

  /** Whether a request was sent, or should be, that the peer has not answered. */
  boolean awaitsPeer() {
    return queuePair.isReady() && (queue.executed() < sent || wireFull);
  }

  /** Device thread: the queue pair's patience with its peer is at an end. */
  void peerIsSilent() {
    LOG.warn("{}: {} is silent for {}", queuePair, link, queuePair.attributes().answerTimeout());
    queuePair.peerLost();
  }

  AnswerWatch watch() {
    return watch;
  }

  @Override
  public boolean hasMore() {
    return sent < queue.doorbell() && failedRequest < 0 && !fenced;
  }

  private Progress sendWhatFits() throws IOException {
    long budget = BUDGET;
    while (queuePair.isReady() && sent < queue.doorbell()) {
      if (queuePair.runner().isHeld() && hasAllThatBegan()) {
        return Progress.IDLE;
      }
      if (!started && !start()) {
        return Progress.IDLE;
      }
      fenced = awaited() >= queue.executed();
      if (fenced) {
        return Progress.IDLE;
      }
      if (entry.isLocal() && !windowDone) {
        windowBegun = true;
        CompletionStatus status = windows.run(entry);
        if (status == null) {
          return Progress.WAITING;
        }
        if (status != CompletionStatus.SUCCESS) {
          failAt(sent, status);
          return Progress.IDLE;
        }
        windowDone = true;
      }
      do {
        if (budget <= 0) {
          return Progress.OUT_OF_BUDGET;
        }
        int run = framePayload();
        if (!link.writer().hasRoom(run)) {
          wireFull = true;
          return Progress.WIRE_FULL;
        }
        if (!sendFrame(run)) {
          return Progress.IDLE;
        }
        budget -= run + FrameLayout.HEADER_SIZE;
      } while (started);
    }
    return Progress.IDLE;
  }

  /** Whether nothing of the next request went out yet, or ever. */
  private boolean hasAllThatBegan() {
    return sent >= begun && !(started && (done > 0 || windowBegun));
  }

  @Override
  public boolean isDrained() {
    return hasAllThatBegan() && queue.executed() >= begun;
  }

  /**
   * The latest request that must be answered before the current entry goes out. What concerns this
   * end's windows waits for all: it must not run again when an earlier SEND has to be sent again.
   */
  private long awaited() {
    if (entry.isLocal()) {
      return sent - 1;
    }
    return entry.isFenced() ? Math.max(latestRead, latestFlush) : latestFlush;
  }

  private boolean start() {
    if (!queue.load(sent, entry)) {
      return failAt(sent, CompletionStatus.LOCAL_QP_OPERATION_ERROR);
    }
    if (!entry.hasRightLength()) {
      return failAt(sent, CompletionStatus.LOCAL_LENGTH_ERROR);
    }
    if (entry.isAtomic() && !entry.isWritable(local)) {
      return failAt(sent, CompletionStatus.LOCAL_PROTECTION_ERROR);
    }
    faults.at(FaultStep.ENTRY_COPIED);
    started = true;
    windowBegun = false;
    windowDone = false;
    done = 0;
    return true;
  }

  private int framePayload() {
    if (entry.hasOperands()) {
      return WorkQueueEntryLayout.SEGMENT;
    }
    return entry.bringsData() ? 0 : (int) Math.min(entry.total() - done, FrameLayout.MAX_PAYLOAD);
  }

  /** Sends the next frame of the current entry, for which there is room; false if it failed. */
  private boolean sendFrame(int payload) {
    FrameWriter writer = link.writer();
    boolean whole = entry.bringsData() || entry.hasOperands();
    int total = (int) entry.total();
    boolean last = whole || done + payload == total;
    int header = writer.begin(type(), flags(last, whole), remote, (int) sent, payload);
    ByteBuffer buffer = writer.buffer();
    buffer.putInt(header + FrameLayout.KEY_OFFSET, entry.remoteKey());
    buffer.putLong(header + FrameLayout.ADDRESS_OFFSET, entry.remoteAddress() + done);
    buffer.putInt(header + FrameLayout.IMMEDIATE_OFFSET, entry.immediate());
    buffer.putInt(header + FrameLayout.TOTAL_OFFSET, entry.hasOperands() ? payload : total);
    if (entry.hasOperands()) {
      buffer.put(
          header + FrameLayout.HEADER_SIZE, entry.bytes(), WorkQueueEntryLayout.OPERANDS, payload);
    } else if (!whole && !gather(buffer, header + FrameLayout.HEADER_SIZE, payload)) {
      return failAt(sent, CompletionStatus.LOCAL_PROTECTION_ERROR);
    }
    writer.end(payload);
    wireFull = false;
    long frames = framesSent + 1;
    framesSent = frames;
    done += payload;
    if (last) {
      lengths[(int) sent & mask] = total;
      signaled[(int) sent & mask] = entry.isSignaled();
      if (entry.bringsData()) {
        latestRead = sent;
      } else if (entry.opcode() == WorkQueueEntryLayout.FLUSH) {
        latestFlush = sent;
      }
      long next = sent + 1;
      sent = next;
      begun = Math.max(begun, next);
      started = false;
    }
    return true;
  }

  private int type() {
    return switch (entry.opcode()) {
      case WorkQueueEntryLayout.READ -> FrameLayout.READ;
      case WorkQueueEntryLayout.COMPARE_AND_SWAP -> FrameLayout.COMPARE_AND_SWAP;
      case WorkQueueEntryLayout.FETCH_AND_ADD -> FrameLayout.FETCH_AND_ADD;
      case WorkQueueEntryLayout.ATOMIC_WRITE -> FrameLayout.ATOMIC_WRITE;
      case WorkQueueEntryLayout.FLUSH -> FrameLayout.FLUSH;
      case WorkQueueEntryLayout.UMR, WorkQueueEntryLayout.LOCAL_INVALIDATE -> FrameLayout.NOTHING;
      case WorkQueueEntryLayout.SEND,
          WorkQueueEntryLayout.SEND_IMMEDIATE,
          WorkQueueEntryLayout.SEND_INVALIDATE ->
          FrameLayout.SEND;
      default -> FrameLayout.WRITE;
    };
  }

  private int flags(boolean last, boolean whole) {
    boolean immediate =
        entry.opcode() == WorkQueueEntryLayout.SEND_IMMEDIATE
            || entry.opcode() == WorkQueueEntryLayout.WRITE_IMMEDIATE;
    return (done == 0 || whole ? FrameLayout.FIRST : 0)
        | (last ? FrameLayout.LAST : 0)
        | (immediate ? FrameLayout.IMMEDIATE : 0)
        | (entry.opcode() == WorkQueueEntryLayout.SEND_INVALIDATE ? FrameLayout.INVALIDATE : 0)
        | (entry.isSolicited() ? FrameLayout.SOLICITED : 0);
  }

  private boolean gather(ByteBuffer target, int index, int payload) {
    for (int copied = 0; copied < payload; ) {
      int run = entry.run(payload - copied);
      if (entry.isInline()) {
        target.put(index + copied, entry.bytes(), entry.inlinePosition(), run);
      } else {
        if (entry.open(local, run, 0) != RegionAccess.Outcome.OPEN) {
          return false;
        }
        faults.at(FaultStep.BUFFER_OPENED);
        local.memory().get(local.offset(), target, index + copied, run);
        queuePair.runner().requireWhole(local);
        local.close();
      }
      entry.advance(run);
      copied += run;
    }
    return true;
  }

  /** The request can't be sent: it completes with its error once all before it are answered. */
  private boolean failAt(long request, CompletionStatus status) {
    started = false;
    failedRequest = request;
    failure = status;
    failIfOldest();
    return false;
  }

  private void failIfOldest() {
    if (failedRequest >= 0 && failedRequest == queue.executed()) {
      queuePair.failSend(failure);
    }
  }

  /** Device thread: an ACK, NAK or RNR came in. */
  void answered(int type, int request, int status) {
    answers++;
    if (!queuePair.runner().claimRun()) {
      return;
    }
    try {
      long number = requestNumber(request);
      if (number >= 0 && queuePair.isReady()) {
        take(type, number, status);
      }
    } finally {
      queuePair.runner().claim().release();
    }
    queuePair.runner().drive();
  }

  private void take(int type, long number, int status) {
    faults.at(FaultStep.ANSWER_TAKEN);
    completeBefore(type == FrameLayout.ACK ? number + 1 : number);
    if (type == FrameLayout.NAK) {
      queuePair.failSend(WireCodes.status(status));
    } else if (type == FrameLayout.RNR) {
      sendAgain(number);
    } else {
      notReadySince = 0;
      failIfOldest();
    }
  }

  /** The full number of a request in flight, or -1 if none has these low bits. */
  private long requestNumber(int low) {
    long number = queue.executed() + (low - (int) queue.executed());
    return number >= queue.executed() && number < sent + (started ? 1 : 0) ? number : -1;
  }

  private void completeBefore(long number) {
    while (queue.executed() < number) {
      int slot = (int) queue.executed() & mask;
      queuePair.completeSend(signaled[slot], CompletionStatus.SUCCESS, lengths[slot]);
    }
  }

  private void sendAgain(long number) {
    sent = number;
    started = false;
    latestRead = Math.min(latestRead, number - 1);
    latestFlush = Math.min(latestFlush, number - 1);
    if (failedRequest >= number) {
      failedRequest = -1;
    }
    long now = System.nanoTime();
    if (notReadySince == 0) {
      notReadySince = now;
    }
    if (now - notReadySince >= queuePair.rnrTimeoutNanos()) {
      queuePair.failSend(CompletionStatus.RNR_RETRY_EXCEEDED);
      return;
    }
    retryAt = now + RETRY_NANOS;
  }

  /** Device thread: a part of a READ's answer, or an atomic's, came in. */
  void readData(ByteBuffer frame, int header, int payload) throws IOException {
    answers++;
    if (!queuePair.runner().claimRun()) {
      return;
    }
    try {
      if (!queuePair.isReady()) {
        return;
      }
      long number = requestNumber(frame.getInt(header + FrameLayout.REQUEST_OFFSET));
      boolean first = (frame.get(header + FrameLayout.FLAGS_OFFSET) & FrameLayout.FIRST) != 0;
      if (first && number >= 0) {
        completeBefore(number);
        readingRequest = number;
        readDone = 0;
        if (!queue.load(number, reading)) {
          queuePair.failSend(CompletionStatus.LOCAL_QP_OPERATION_ERROR);
          return;
        }
      }
      if (number < 0
          || number != readingRequest
          || !reading.bringsData()
          || payload > reading.total() - readDone
          || (reading.isAtomic() && payload != Long.BYTES)) {
        throw new IOException("answer to no request of queue pair " + queuePair.number());
      }
      faults.at(FaultStep.ANSWER_TAKEN);
      takeIn(frame, header, payload);
    } finally {
      queuePair.runner().claim().release();
    }
    queuePair.runner().drive();
  }

  private void takeIn(ByteBuffer frame, int header, int payload) {
    int from = header + FrameLayout.HEADER_SIZE;
    boolean taken =
        reading.isAtomic()
            ? reading.scatterFound(local, frame.getLong(from))
            : reading.scatter(local, frame, from, payload);
    if (!taken) {
      queuePair.failSend(CompletionStatus.LOCAL_PROTECTION_ERROR);
      return;
    }
    readDone += payload;
    if (readDone == reading.total()) {
      completeBefore(readingRequest + 1);
      readingRequest = -1;
      notReadySince = 0;
      failIfOldest();
    }
  }

  /** Device thread: the other end's queue pair broke. */
  void peerBroke() {
    queuePair.breakConnection();
  }

  @Override
  public void tellBroken() {
    link.tellBroken(remote);
  }

  @Override
  public boolean isQuiet() {
    return queuePair.hazardsAreClear();
  }

  @Override
  public Optional<RemoteMapping> mapRemote(long address, long length, int key) {
    return Optional.empty();
  }

  @Override
  public void serveErrand() {}

  @Override
  public void quiesceReaders() {}

  @Override
  public void leaveDeviceThread() {
    link.detach(this);
    watch.end();
    target.leave();
  }

  @Override
  public void close() {}
}
