// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.memory.DurabilityMethod;
import dev.verbena.memory.MappedMemory;
import dev.verbena.memory.PersistentRegion;
import dev.verbena.testing.Await;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionChannel;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.MemoryWindow;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.SharedReceiveQueue;
import dev.verbena.verbs.SharedReceiveQueueAttributes;
import dev.verbena.verbs.WorkCompletion;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One end of a fault test: memory of each kind, a shared receive queue with few RECVs, and two
 * queue pairs that draw from it, of which the second stays idle so that RECVs must be recalled from
 * it. A thread receives, asleep on a completion channel between messages.
 */
final class FaultEnd implements AutoCloseable {
  /** Bytes of a message; two halves of it can be told apart. */
  static final int MESSAGE = 4096;

  /** Bytes that a WRITE or READ moves: more than one announcement covers. */
  static final int TARGET = 300 << 10;

  /** RECVs of the shared receive queue. */
  static final int RECEIVES = 4;

  private static final int WINDOWS = 4;
  private static final int LOCAL = TARGET;
  private static final int RECEIVED = LOCAL + TARGET;
  private static final int SIZE = RECEIVED + RECEIVES * MESSAGE;
  private static final Duration LOOK = Duration.ofMillis(50);
  private static final Set<AccessFlag> ALL = EnumSet.allOf(AccessFlag.class);
  private static final Set<AccessFlag> VOLATILE =
      EnumSet.complementOf(EnumSet.of(AccessFlag.FLUSH_PERSISTENT));

  private static final Set<AccessFlag> OF_WINDOWS =
      EnumSet.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);

  private final Device device;
  private final ProtectionDomain domain;
  private final CompletionQueue sends;
  private final CompletionQueue receives;
  private final CompletionChannel channel;
  private final SharedReceiveQueue shared;
  private final QueuePair queuePair;
  private final QueuePair idle;
  private final MappedMemory segment;
  private final MappedMemory persistentSegment;
  private final MemoryRegion main;
  private final MemoryRegion foreign;
  private final MemoryRegion persistent;
  private final MemoryRegion received;
  private final List<MemoryWindow> windows = new ArrayList<>();
  private final MemoryWindow scratch;
  private final WorkCompletion[] one = WorkCompletion.array(1);
  private final WorkCompletion[] oneReceived = WorkCompletion.array(1);
  private final Thread receiver;
  private volatile boolean stopped;
  private int unposted = RECEIVES;

  private record Persisted(MappedMemory memory) implements PersistentRegion {
    @Override
    public void persist(long offset, long length) {
      memory.force(offset, length);
    }

    @Override
    public DurabilityDomain domain() {
      return DurabilityDomain.PROCESS;
    }

    @Override
    public DurabilityMethod method() {
      return DurabilityMethod.MSYNC;
    }
  }

  FaultEnd(Device device, FaultFamily family, Duration answerTimeout) {
    this.device = device;
    domain = device.createProtectionDomain();
    sends = device.createCompletionQueue(256, null);
    channel = device.createCompletionChannel();
    receives = device.createCompletionQueue(256, channel);
    shared = domain.createSharedReceiveQueue(new SharedReceiveQueueAttributes(RECEIVES, 1));
    QueuePairAttributes attributes =
        QueuePairAttributes.of(sends, receives)
            .withRnrRetries(1000, Await.PATIENCE.dividedBy(1000))
            .withAnswerTimeout(answerTimeout)
            .withSharedReceiveQueue(shared);
    queuePair = domain.createQueuePair(attributes);
    idle = domain.createQueuePair(attributes);
    segment = device.allocate(SIZE);
    main = domain.register(segment, 0, SIZE, VOLATILE);
    MappedMemory buffer = MappedMemory.of(ByteBuffer.allocateDirect(RECEIVES * MESSAGE));
    foreign = domain.register(buffer, 0, buffer.size(), VOLATILE);
    persistentSegment = device.allocate(MESSAGE);
    persistent = domain.register(new Persisted(persistentSegment), 0, MESSAGE, ALL);
    received = family == FaultFamily.FOREIGN_SEND ? foreign : main;
    for (int i = 0; i < WINDOWS; i++) {
      windows.add(domain.allocateWindow());
    }
    scratch = domain.allocateWindow();
    receiver = new Thread(this::receive, "receiver");
    receiver.setDaemon(true);
  }

  FaultOffer offer() {
    return new FaultOffer(
        range(main),
        range(foreign),
        range(persistent),
        windows.stream().map(MemoryWindow::remoteKey).toList());
  }

  private static FaultOffer.Range range(MemoryRegion region) {
    return new FaultOffer.Range(region.address(), region.remoteKey());
  }

  Device device() {
    return device;
  }

  QueuePair queuePair() {
    return queuePair;
  }

  QueuePair idle() {
    return idle;
  }

  MemoryRegion main() {
    return main;
  }

  MemoryWindow scratch() {
    return scratch;
  }

  List<MemoryWindow> windows() {
    return windows;
  }

  MemoryRegion foreign() {
    return foreign;
  }

  /** Registers other memory in the same domain. */
  MemoryRegion register(MappedMemory memory) {
    return domain.register(memory, 0, memory.size(), VOLATILE);
  }

  /** Another queue pair that draws from the same shared receive queue. */
  QueuePair another() {
    return domain.createQueuePair(queuePair.attributes());
  }

  /** Once connected: binds the windows that the other end is to invalidate, and receives. */
  void begin() {
    for (MemoryWindow window : windows) {
      CompletionStatus status = run(bind(0, window, OF_WINDOWS));
      if (status != CompletionStatus.SUCCESS) {
        throw new IllegalStateException("binding a window: " + status);
      }
    }
    fill();
    receiver.start();
  }

  SendRequest bind(long id, MemoryWindow window, Set<AccessFlag> access) {
    if (window == scratch) {
      scratch.renewKey();
    }
    return new SendRequest(1).bindWindow(id, window, main, main.address(), TARGET, access);
  }

  /** Adds the end's own buffer. */
  SendRequest local(SendRequest request, int length) {
    return request.buffer(main.address() + LOCAL, length, main.localKey());
  }

  /** Runs one round of a family; the first status that is not SUCCESS, or SUCCESS. */
  CompletionStatus act(FaultFamily family, FaultOffer to, int round) {
    for (SendRequest request : family.round(this, to, round)) {
      CompletionStatus status = run(request);
      if (status != CompletionStatus.SUCCESS) {
        return status;
      }
    }
    return CompletionStatus.SUCCESS;
  }

  /** Posts a request and awaits its end. */
  CompletionStatus run(SendRequest request) {
    queuePair.postSend(request.signaled());
    return next();
  }

  CompletionStatus next() {
    Await.until("a completion", () -> sends.poll(one) == 1);
    return one[0].status();
  }

  private void receive() {
    try {
      while (!stopped) {
        takeIn();
        receives.requestNotification(false);
        takeIn();
        channel.awaitEvent(Deadline.after(LOOK));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** RECVs are posted again only when all are used, so that lanes run dry. */
  private void takeIn() {
    while (receives.poll(oneReceived) == 1) {
      unposted++;
      if (unposted == RECEIVES) {
        fill();
      }
    }
  }

  private void fill() {
    for (; unposted > 0; unposted--) {
      long buffer = (long) (unposted - 1) * MESSAGE;
      long offset = received == foreign ? buffer : RECEIVED + buffer;
      shared.postReceive(
          new ReceiveRequest(1)
              .begin(unposted)
              .buffer(received.address() + offset, MESSAGE, received.localKey()));
    }
  }

  /** Stops receiving; all that was used is posted again, so that there are exactly RECEIVES. */
  void stopReceiving() {
    stopped = true;
    channel.wakeUp();
    Await.until("end of the receiver", () -> !receiver.isAlive());
    takeIn();
    fill();
  }

  /** Completions of RECVs until there are {@code count} more. */
  void awaitMessages(int count) {
    for (int i = 0; i < count; i++) {
      Await.until("a message", () -> receives.poll(oneReceived) == 1);
      if (!oneReceived[0].isSuccess()) {
        throw new AssertionError("a RECV ended in " + oneReceived[0]);
      }
    }
  }

  /** Deregisters all memory; fails if a peer is still inside. */
  void closeMemory() {
    windows.forEach(MemoryWindow::close);
    scratch.close();
    Stream.of(main, foreign, persistent).forEach(MemoryRegion::close);
    segment.close();
    persistentSegment.close();
  }

  @Override
  public void close() {
    stopped = true;
    channel.wakeUp();
    if (receiver.isAlive()) {
      Await.until("end of the receiver", () -> !receiver.isAlive());
    }
    idle.close();
    queuePair.close();
    closeMemory();
    shared.close();
    receives.close();
    sends.close();
    channel.close();
    domain.close();
  }
}
