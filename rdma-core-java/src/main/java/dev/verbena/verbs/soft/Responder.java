// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.Fences;
import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.CompletionStatus;

/**
 * The responder half of a queue pair: what an operation does at its target. It works on the
 * target's area, keys and segments, whoever's process it runs in: the requester's over shm, the
 * target's own device thread over tcp. One thread at a time.
 */
final class Responder {
  /** What came of asking for a RECV. */
  enum Take {
    TAKEN,
    NONE_POSTED,
    BROKEN
  }

  private final MappedMemory area;
  private final QueuePairAreaLayout layout;
  private final MappedMemory deviceArea;
  private final RegionAccess region;
  private final HazardSlot queueHazard;
  private final QueuePairHazards hazards;
  private final CompletionLane lane;
  private final long armedWord;
  private final boolean shared;
  private final FaultPort faults;

  private long taken;
  private long receiveMarkTold;
  private long completionMarkTold;
  private boolean holdsReceive;
  private int buffers;
  private long capacity;
  private int buffer;
  private long bufferDone;

  Responder(
      MappedMemory area,
      QueuePairAreaLayout layout,
      MappedMemory deviceArea,
      KeyTable keys,
      SegmentMap segments,
      FaultPort faults) {
    this.area = area;
    this.faults = faults;
    this.layout = layout;
    this.deviceArea = deviceArea;
    this.region = regionAccess(area, QueuePairAreaLayout.REGION_HAZARD, keys, segments, faults);
    this.queueHazard =
        new HazardSlot(area, QueuePairAreaLayout.hazard(QueuePairAreaLayout.QUEUE_HAZARD));
    this.hazards = new QueuePairHazards(area);
    this.lane = new CompletionLane(area, layout.receiveLane(), layout.receiveDepth());
    int completionQueue = area.getInt(QueuePairAreaLayout.RECEIVE_CQ_OFFSET);
    if (completionQueue < 0 || completionQueue >= DeviceAreaLayout.MAX_COMPLETION_QUEUES) {
      throw new IllegalArgumentException("completion queue " + completionQueue + " of " + area);
    }
    this.armedWord = DeviceAreaLayout.armedWord(completionQueue);
    this.shared = area.getInt(QueuePairAreaLayout.SHARED_OFFSET) != 0;
  }

  /** Access to the target's regions, announced in the given hazard slot of its area. */
  static RegionAccess regionAccess(
      MappedMemory area, int hazardSlot, KeyTable keys, SegmentMap segments, FaultPort faults) {
    return new RegionAccess(
        new HazardSlot(area, QueuePairAreaLayout.hazard(hazardSlot)),
        keys,
        segments,
        area.getInt(QueuePairAreaLayout.DOMAIN_OFFSET),
        hazardSlot == QueuePairAreaLayout.LOCAL_HAZARD
            ? KeyTable.NO_QUEUE_PAIR
            : area.getInt(QueuePairAreaLayout.NUMBER_OFFSET),
        faults);
  }

  /** How a request ends that could not open what it names. */
  static CompletionStatus denied(RegionAccess.Outcome outcome) {
    return outcome == RegionAccess.Outcome.DENIED
        ? CompletionStatus.REMOTE_ACCESS_ERROR
        : CompletionStatus.REMOTE_OPERATION_ERROR;
  }

  /** Whether the target takes requests; means something only while a hazard is announced. */
  boolean isAlive() {
    return area.getLongAcquire(QueuePairAreaLayout.OWNER_STATE_OFFSET)
        == QueuePairAreaLayout.CONNECTED;
  }

  /** Whether this side is inside an access through the slot of {@code key}. */
  boolean announces(int key) {
    return hazards.peerAnnounces(KeyTable.slot(key));
  }

  /** The target's protection domain. */
  int domain() {
    return region.domain();
  }

  /** The target's memory, by remote key. */
  RegionAccess region() {
    return region;
  }

  /**
   * Takes the oldest RECV, or goes on with the one taken before. After TAKEN, {@link #pause} or
   * {@link #deliver} must follow.
   */
  Take takeReceive() {
    queueHazard.announce(HazardSlot.QUEUE);
    faults.at(FaultStep.QUEUE_ANNOUNCED);
    if (!isAlive()) {
      queueHazard.clear();
      return Take.BROKEN;
    }
    if (holdsReceive) {
      return Take.TAKEN;
    }
    if (taken >= area.getLongAcquire(QueuePairAreaLayout.RECEIVES_POSTED_OFFSET)) {
      queueHazard.clear();
      return Take.NONE_POSTED;
    }
    area.putLongRelease(QueuePairAreaLayout.RECEIVES_TAKEN_OFFSET, taken + 1);
    long entry = layout.receiveEntry(taken);
    buffers = Math.max(0, Math.min(area.getInt(entry), layout.receiveBuffers()));
    capacity = 0;
    for (int i = 0; i < buffers; i++) {
      capacity += bufferLength(i);
    }
    buffer = 0;
    bufferDone = 0;
    holdsReceive = true;
    faults.at(FaultStep.RECEIVE_TAKEN);
    return Take.TAKEN;
  }

  /**
   * After NONE_POSTED: asks the target's shared receive queue for a RECV.
   *
   * @return whether it has one, so that the target must be told
   */
  boolean askForReceive() {
    if (shared) {
      area.putLongRelease(QueuePairAreaLayout.RECEIVE_ASKED_OFFSET, taken + 1);
    }
    return shared;
  }

  /** After {@link #deliver}: whether the target wants to know, once, how far its RECVs are used. */
  boolean reachedMark() {
    long receiveMark = area.getLongAcquire(QueuePairAreaLayout.RECEIVE_MARK_OFFSET);
    long completionMark = area.getLongAcquire(QueuePairAreaLayout.COMPLETION_MARK_OFFSET);
    boolean reached =
        (taken >= receiveMark && receiveMark != receiveMarkTold)
            || (taken >= completionMark && completionMark != completionMarkTold);
    if (reached) {
      receiveMarkTold = receiveMark;
      completionMarkTold = completionMark;
    }
    return reached;
  }

  /** Bytes that the taken RECV has room for. */
  long capacity() {
    return capacity;
  }

  /** Lets go of the queues between two parts of one message. */
  void pause() {
    queueHazard.clear();
  }

  /** A step failed: withdraws what it left announced. */
  void letGo() {
    region.letGo();
    queueHazard.clear();
  }

  /** Bytes up to {@code wanted} that fit into the RECV's current buffer. */
  int room(int wanted) {
    while (buffer < buffers && bufferDone == bufferLength(buffer)) {
      buffer++;
      bufferDone = 0;
    }
    return buffer == buffers ? 0 : (int) Math.min(wanted, bufferLength(buffer) - bufferDone);
  }

  /** Opens the next {@code length} bytes of the RECV's current buffer; at most {@link #room}. */
  RegionAccess.Outcome openReceiveBuffer(int length) {
    long descriptor = QueuePairAreaLayout.receiveBuffer(layout.receiveEntry(taken), buffer);
    return region.open(
        area.getInt(descriptor + QueuePairAreaLayout.BUFFER_KEY_OFFSET),
        area.getLong(descriptor) + bufferDone,
        length,
        KeyTable.LOCAL_WRITE);
  }

  void advance(int length) {
    bufferDone += length;
  }

  /** The key of the RECV's current buffer. */
  int receiveKey() {
    return area.getInt(
        QueuePairAreaLayout.receiveBuffer(layout.receiveEntry(taken), buffer)
            + QueuePairAreaLayout.BUFFER_KEY_OFFSET);
  }

  /** Where the next byte of the RECV's current buffer goes. */
  long receiveAddress() {
    return area.getLong(QueuePairAreaLayout.receiveBuffer(layout.receiveEntry(taken), buffer))
        + bufferDone;
  }

  private long bufferLength(int i) {
    int length =
        area.getInt(
            QueuePairAreaLayout.receiveBuffer(layout.receiveEntry(taken), i)
                + QueuePairAreaLayout.BUFFER_LENGTH_OFFSET);
    return Math.max(0, length);
  }

  /**
   * Completes the taken RECV.
   *
   * @return whether the target sleeps and must be woken
   */
  boolean deliver(int status, int opcode, int flags, int byteLength, int immediate) {
    lane.add(status, opcode, flags, 0, byteLength, immediate, 0);
    taken++;
    holdsReceive = false;
    faults.at(FaultStep.COMPLETION_WRITTEN);
    boolean wake = disarm(status != 0 || (flags & CompletionLane.SOLICITED) != 0);
    faults.at(FaultStep.ARMED_READ);
    queueHazard.clear();
    faults.at(FaultStep.QUEUE_CLEARED);
    return wake;
  }

  /** Publish, fence, look at the armed word: the other half is in SoftCompletionQueue. */
  private boolean disarm(boolean solicited) {
    Fences.full();
    long armed = deviceArea.getLongAcquire(armedWord);
    if (armed == DeviceAreaLayout.DISARMED
        || (armed == DeviceAreaLayout.ARMED_SOLICITED && !solicited)) {
      return false;
    }
    return deviceArea.compareAndSetLong(armedWord, armed, DeviceAreaLayout.DISARMED);
  }

  /** Tells the target that the connection broke at this end; it must be woken after. */
  void breakTarget(long code) {
    area.putLongRelease(QueuePairAreaLayout.PEER_WORD_OFFSET, code);
  }
}
