// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.Await;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.WorkCompletion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.concurrent.Future;

/**
 * Traffic of a device with another peer, which must not notice what a third one does: numbered
 * messages, each checked, without end.
 */
final class Bystanders implements AutoCloseable {
  private static final int MESSAGE = Long.BYTES;

  private final CompletionQueue sends;
  private final CompletionQueue receives;
  private final ProtectionDomain sending;
  private final ProtectionDomain receiving;
  private final QueuePair sender;
  private final QueuePair receiver;
  private final MappedMemory memory;
  private final MemoryRegion buffer;
  private final Future<?> traffic;
  private volatile boolean stopped;
  private volatile long count;

  Bystanders(FaultBed bed, Device from, Device to, Listener listener) {
    sends = from.createCompletionQueue(16, null);
    receives = to.createCompletionQueue(16, null);
    sending = from.createProtectionDomain();
    receiving = to.createProtectionDomain();
    sender = sending.createQueuePair(QueuePairAttributes.of(sends, sends));
    receiver = receiving.createQueuePair(QueuePairAttributes.of(receives, receives));
    memory = to.allocate(MESSAGE);
    buffer = receiving.register(memory, 0, MESSAGE, EnumSet.of(AccessFlag.LOCAL_WRITE));
    bed.connect(from, sender, listener, receiver);
    traffic = bed.async(this::run);
  }

  private void run() {
    ByteBuffer message = ByteBuffer.allocateDirect(MESSAGE).order(ByteOrder.nativeOrder());
    for (long number = 1; !stopped; number++) {
      message.putLong(0, number);
      receiver.postReceive(
          new ReceiveRequest(1).begin(number).buffer(buffer.address(), MESSAGE, buffer.localKey()));
      sender.postSend(new SendRequest(1).send(number).inline(message, 0, MESSAGE).signaled());
      expect(sends, number);
      expect(receives, number);
      if (memory.getLong(0) != number) {
        throw new AssertionError("message " + memory.getLong(0) + ", expected " + number);
      }
      count = number;
    }
  }

  private static void expect(CompletionQueue queue, long number) {
    WorkCompletion[] one = WorkCompletion.array(1);
    Await.until("a bystander's completion", () -> queue.poll(one) == 1);
    if (!one[0].isSuccess() || one[0].requestId() != number) {
      throw new AssertionError("message " + number + " of a bystander ended in " + one[0]);
    }
  }

  /** What they receive in; each end opens it when it first looks whether it is whole. */
  Path file() {
    return memory.backingFile().orElseThrow();
  }

  /** Waits until some more messages went through; fails if one was lost or wrong. */
  void expectProgress() {
    long before = count;
    Await.until("messages of bystanders", () -> traffic.isDone() || count > before + 3);
    if (traffic.isDone()) {
      Await.result("traffic of bystanders", traffic);
    }
  }

  @Override
  public void close() {
    stopped = true;
    Await.result("traffic of bystanders", traffic);
    sender.close();
    receiver.close();
    buffer.close();
    memory.close();
    sends.close();
    receives.close();
    sending.close();
    receiving.close();
  }
}
