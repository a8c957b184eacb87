// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Opcode;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The responder half of a queue pair joined over tcp: executes the peer's requests on this device's
 * memory, in their order, on the device thread.
 */
final class TcpTarget {
  private static final Logger LOG = LoggerFactory.getLogger(TcpTarget.class);

  private final TcpConnection connection;
  private final SoftQueuePair queuePair;
  private final TcpLink link;
  private final int remote;
  private final Responder responder;
  private final RemoteQword qword;
  private final RemoteFlush flush;
  private int expected;
  private boolean awaitsFirst = true;
  private int requestType;
  private int requestTotal;
  private int received;
  private boolean ackDue;
  private boolean flushing;
  private boolean left;

  TcpTarget(TcpConnection connection, SoftQueuePair queuePair, TcpLink link, int remote) {
    this.connection = connection;
    this.queuePair = queuePair;
    this.link = link;
    this.remote = remote;
    this.responder = queuePair.ownResponder();
    this.qword = new RemoteQword(responder, link.device().faults(), () -> true);
    this.flush = new RemoteFlush(responder);
  }

  /** The queue pair closes: answers not yet sent must not touch it any more. */
  void leave() {
    left = true;
  }

  /** Executes one frame of a request. */
  void execute(int type, ByteBuffer frame, int header, int payload) {
    int request = frame.getInt(header + FrameLayout.REQUEST_OFFSET);
    int flags = frame.get(header + FrameLayout.FLAGS_OFFSET);
    boolean first = (flags & FrameLayout.FIRST) != 0;
    if (flushing || request != expected || awaitsFirst != first || !queuePair.isLettingIn()) {
      // What followed a request that found no RECV: the peer sends it again. Nothing follows a
      // FLUSH before its answer.
      return;
    }
    int total = frame.getInt(header + FrameLayout.TOTAL_OFFSET);
    if (first) {
      received = 0;
      requestType = type;
      requestTotal = total;
    }
    boolean last = (flags & FrameLayout.LAST) != 0;
    if (payload > total - received
        || type != requestType
        || total != requestTotal
        || !(last || comesInParts(type))) {
      refuse(CompletionStatus.REMOTE_INVALID_REQUEST);
      return;
    }
    awaitsFirst = false;
    boolean done;
    try {
      done = execute(type, frame, header, payload, flags, total);
      link.device().faults().at(FaultStep.EXECUTED);
    } catch (InternalError | RuntimeException e) {
      fail(e);
      return;
    }
    received += payload;
    if (done && last) {
      next();
      if (type != FrameLayout.READ && !isAtomic(type)) {
        ackSoon();
      }
    }
  }

  private boolean execute(
      int type, ByteBuffer frame, int header, int payload, int flags, int total) {
    return switch (type) {
      case FrameLayout.SEND -> send(frame, header, payload, flags, total);
      case FrameLayout.WRITE -> write(frame, header, payload, flags, total);
      case FrameLayout.READ -> read(frame, header, total);
      case FrameLayout.NOTHING -> true;
      case FrameLayout.FLUSH -> flush(frame, header, payload);
      default -> qword(type, frame, header, payload);
    };
  }

  /** A step threw, for example because a mapping was truncated. */
  private void fail(Throwable cause) {
    LOG.error("{} failed while executing a request of {}", queuePair, link, cause);
    responder.letGo();
    if (queuePair.isLettingIn()) {
      refuse(CompletionStatus.REMOTE_OPERATION_ERROR);
    }
  }

  private static boolean comesInParts(int type) {
    return type == FrameLayout.SEND || type == FrameLayout.WRITE;
  }

  private void next() {
    expected++;
    awaitsFirst = true;
  }

  private void ackSoon() {
    if (!ackDue) {
      ackDue = true;
      link.acknowledgeLater(connection);
    }
  }

  /** Sends the ACK that is due, if any; later answers of this queue pair come after it. */
  void acknowledge() {
    if (ackDue) {
      ackDue = false;
      link.answer(TcpAnswer.of(FrameLayout.ACK, remote, expected - 1, 0));
    }
  }

  private boolean send(ByteBuffer frame, int header, int payload, int flags, int total) {
    if (!takeReceive()) {
      return false;
    }
    if (total > responder.capacity()) {
      deliver(CompletionStatus.LOCAL_LENGTH_ERROR, Opcode.RECEIVE, 0, frame, header, total);
      refuse(CompletionStatus.REMOTE_INVALID_REQUEST, true);
      return false;
    }
    int from = header + FrameLayout.HEADER_SIZE;
    for (int done = 0; done < payload; ) {
      int run = responder.room(payload - done);
      if (responder.openReceiveBuffer(run) != RegionAccess.Outcome.OPEN) {
        deliver(CompletionStatus.LOCAL_PROTECTION_ERROR, Opcode.RECEIVE, 0, frame, header, total);
        refuse(CompletionStatus.REMOTE_OPERATION_ERROR);
        return false;
      }
      RegionAccess region = responder.region();
      region.memory().put(region.offset(), frame, from + done, run);
      region.requireWhole();
      link.device().faults().at(FaultStep.COPIED);
      region.close();
      responder.advance(run);
      done += run;
    }
    if ((flags & FrameLayout.LAST) == 0) {
      responder.pause();
      return true;
    }
    if (received + payload != total) {
      responder.pause();
      refuse(CompletionStatus.REMOTE_INVALID_REQUEST);
      return false;
    }
    // Nothing but this thread gets at memory over tcp, so there is nobody to wait for.
    if ((flags & FrameLayout.INVALIDATE) != 0
        && !responder.region().invalidate(frame.getInt(header + FrameLayout.IMMEDIATE_OFFSET))) {
      deliver(CompletionStatus.REMOTE_INVALID_REQUEST, Opcode.RECEIVE, 0, frame, header, total);
      refuse(CompletionStatus.REMOTE_ACCESS_ERROR);
      return false;
    }
    if ((flags & FrameLayout.INVALIDATE) != 0) {
      link.device().faults().at(FaultStep.WINDOW_SHUT);
    }
    deliver(CompletionStatus.SUCCESS, Opcode.RECEIVE, flags, frame, header, total);
    return true;
  }

  private boolean write(ByteBuffer frame, int header, int payload, int flags, int total) {
    boolean last = (flags & FrameLayout.LAST) != 0;
    if (last && received + payload != total) {
      refuse(CompletionStatus.REMOTE_INVALID_REQUEST);
      return false;
    }
    if (payload > 0) {
      RegionAccess region = responder.region();
      RegionAccess.Outcome outcome =
          region.open(
              frame.getInt(header + FrameLayout.KEY_OFFSET),
              frame.getLong(header + FrameLayout.ADDRESS_OFFSET),
              payload,
              KeyTable.REMOTE_WRITE);
      if (outcome != RegionAccess.Outcome.OPEN) {
        refuse(Responder.denied(outcome));
        return false;
      }
      boolean alive = responder.isAlive();
      if (alive) {
        region.memory().put(region.offset(), frame, header + FrameLayout.HEADER_SIZE, payload);
        region.requireWhole();
        link.device().faults().at(FaultStep.COPIED);
      }
      region.close();
      if (!alive) {
        return false;
      }
    }
    if (last && (flags & FrameLayout.IMMEDIATE) != 0) {
      if (!takeReceive()) {
        return false;
      }
      deliver(
          CompletionStatus.SUCCESS,
          Opcode.RECEIVE_WRITE_WITH_IMMEDIATE,
          flags,
          frame,
          header,
          total);
    }
    return true;
  }

  private boolean read(ByteBuffer frame, int header, int total) {
    acknowledge();
    link.answer(
        new ReadAnswer(
            expected,
            frame.getInt(header + FrameLayout.KEY_OFFSET),
            frame.getLong(header + FrameLayout.ADDRESS_OFFSET),
            total));
    return true;
  }

  private static boolean isAtomic(int type) {
    return type == FrameLayout.COMPARE_AND_SWAP || type == FrameLayout.FETCH_AND_ADD;
  }

  private boolean qword(int type, ByteBuffer frame, int header, int payload) {
    if (payload != WorkQueueEntryLayout.SEGMENT) {
      refuse(CompletionStatus.REMOTE_INVALID_REQUEST);
      return false;
    }
    CompletionStatus status =
        qword.run(
            opcode(type),
            frame.getInt(header + FrameLayout.KEY_OFFSET),
            frame.getLong(header + FrameLayout.ADDRESS_OFFSET),
            frame,
            header + FrameLayout.HEADER_SIZE);
    if (status != CompletionStatus.SUCCESS) {
      refuse(status);
      return false;
    }
    if (isAtomic(type)) {
      acknowledge();
      link.answer(TcpAnswer.found(remote, expected, qword.found()));
    }
    return true;
  }

  private static int opcode(int type) {
    return switch (type) {
      case FrameLayout.COMPARE_AND_SWAP -> WorkQueueEntryLayout.COMPARE_AND_SWAP;
      case FrameLayout.FETCH_AND_ADD -> WorkQueueEntryLayout.FETCH_AND_ADD;
      default -> WorkQueueEntryLayout.ATOMIC_WRITE;
    };
  }

  /** True if the FLUSH is done; else it was refused, or {@link #flushed} ends it. */
  private boolean flush(ByteBuffer frame, int header, int payload) {
    if (payload != WorkQueueEntryLayout.SEGMENT) {
      refuse(CompletionStatus.REMOTE_INVALID_REQUEST);
      return false;
    }
    CompletionStatus status =
        flush.check(
            frame.getInt(header + FrameLayout.KEY_OFFSET),
            frame.getLong(header + FrameLayout.ADDRESS_OFFSET),
            frame,
            header + FrameLayout.HEADER_SIZE);
    if (status != CompletionStatus.SUCCESS) {
      refuse(status);
      return false;
    }
    if (!flush.needsOwner()) {
      return true;
    }
    link.device().faults().at(FaultStep.FLUSH_TAKEN);
    flushing = true;
    SoftDevice device = link.device();
    device.persister().persist(flush.order(), done -> device.thread().execute(() -> flushed(done)));
    return false;
  }

  private void flushed(CompletionStatus status) {
    flushing = false;
    link.device().faults().at(FaultStep.FLUSH_PERSISTED);
    if (left || !queuePair.isLettingIn()) {
      return;
    }
    if (status == CompletionStatus.SUCCESS) {
      ackDue = true;
      next();
      acknowledge();
    } else {
      refuse(status);
    }
    link.sendAnswers();
  }

  private boolean takeReceive() {
    Responder.Take outcome = responder.takeReceive();
    if (outcome == Responder.Take.NONE_POSTED && responder.askForReceive()) {
      link.device().lookAtLanes();
      outcome = responder.takeReceive();
    }
    switch (outcome) {
      case TAKEN -> {
        return true;
      }
      case NONE_POSTED -> {
        acknowledge();
        awaitsFirst = true;
        link.answer(TcpAnswer.of(FrameLayout.RNR, remote, expected, 0));
        return false;
      }
      default -> {
        return false;
      }
    }
  }

  private void deliver(
      CompletionStatus status, Opcode opcode, int flags, ByteBuffer frame, int header, int total) {
    int laneFlags =
        ((flags & FrameLayout.IMMEDIATE) != 0 ? CompletionLane.IMMEDIATE : 0)
            | ((flags & FrameLayout.INVALIDATE) != 0 ? CompletionLane.INVALIDATED : 0)
            | ((flags & FrameLayout.SOLICITED) != 0 ? CompletionLane.SOLICITED : 0);
    boolean wake =
        responder.deliver(
            WireCodes.of(status),
            WireCodes.of(opcode),
            laneFlags,
            total,
            frame.getInt(header + FrameLayout.IMMEDIATE_OFFSET));
    if (wake) {
      queuePair.receiveSide().fired();
    }
    if (responder.reachedMark()) {
      link.device().lookAtLanes();
    }
  }

  /** Answers the expected request with an error, and breaks the connection at this end too. */
  private void refuse(CompletionStatus status) {
    refuse(status, false);
  }

  private void refuse(CompletionStatus status, boolean receiveTells) {
    queuePair.raise(BreakCode.event(BreakCode.of(status, receiveTells)));
    acknowledge();
    link.answer(TcpAnswer.of(FrameLayout.NAK, remote, expected, WireCodes.of(status)));
    next();
    queuePair.breakConnection();
  }

  /** The data of one READ, sent in parts as the socket takes them. */
  private final class ReadAnswer implements TcpAnswer {
    private final int request;
    private final int key;
    private final long address;
    private final int total;
    private int done;

    ReadAnswer(int request, int key, long address, int total) {
      this.request = request;
      this.key = key;
      this.address = address;
      this.total = total;
    }

    @Override
    public boolean send(FrameWriter writer) throws IOException {
      do {
        if (left) {
          return true;
        }
        int run = Math.min(total - done, FrameLayout.MAX_PAYLOAD);
        if (!writer.hasRoom(run)) {
          return false;
        }
        int flags =
            (done == 0 ? FrameLayout.FIRST : 0) | (done + run == total ? FrameLayout.LAST : 0);
        int header = writer.begin(FrameLayout.READ_DATA, flags, remote, request, run);
        if (run > 0 && !copy(writer, header + FrameLayout.HEADER_SIZE, run)) {
          return true;
        }
        writer.end(run);
        done += run;
      } while (done < total);
      return true;
    }

    /** Copies the next part into the frame, or sends a NAK in its place. */
    private boolean copy(FrameWriter writer, int index, int run) {
      try {
        return copyOpen(writer, index, run);
      } catch (InternalError | RuntimeException e) {
        LOG.error("{} failed while answering a READ of {}", queuePair, link, e);
        responder.letGo();
        return refuse(writer, CompletionStatus.REMOTE_OPERATION_ERROR);
      }
    }

    private boolean copyOpen(FrameWriter writer, int index, int run) {
      RegionAccess region = responder.region();
      RegionAccess.Outcome outcome = region.open(key, address + done, run, KeyTable.REMOTE_READ);
      if (outcome != RegionAccess.Outcome.OPEN) {
        return refuse(writer, Responder.denied(outcome));
      }
      region.memory().get(region.offset(), writer.buffer(), index, run);
      region.requireWhole();
      link.device().faults().at(FaultStep.COPIED);
      region.close();
      return true;
    }

    private boolean refuse(FrameWriter writer, CompletionStatus status) {
      int header = writer.begin(FrameLayout.NAK, 0, remote, request, 0);
      writer.buffer().put(header + FrameLayout.STATUS_OFFSET, (byte) WireCodes.of(status));
      writer.end(0);
      queuePair.raise(BreakCode.event(BreakCode.of(status, false)));
      queuePair.breakConnection();
      return false;
    }
  }
}
