// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.Await;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.UnaryOperator;

/** One end of a connection: a queue pair with its domain and its two completion queues. */
final class Endpoint {
  static final Set<AccessFlag> ALL_ACCESS =
      EnumSet.of(
          AccessFlag.LOCAL_WRITE,
          AccessFlag.REMOTE_WRITE,
          AccessFlag.REMOTE_READ,
          AccessFlag.REMOTE_ATOMIC);

  /** Short, since a device may let it pass for each SEND that finds no RECV. */
  private static final Duration RNR_TIMER = Duration.ofMillis(10);

  private static final int COMPLETION_DEPTH = 1024;

  private final Fabric fabric;
  private final Device device;
  private final ProtectionDomain domain;
  private final Completions sends;
  private final Completions receives;
  private final QueuePair queuePair;

  /** Makes an end with completion queues of its own. */
  Endpoint(Fabric fabric, Device device, UnaryOperator<QueuePairAttributes> shape) {
    this(
        fabric,
        device,
        fabric.own(device.createProtectionDomain()),
        fabric.own(device.createCompletionQueue(COMPLETION_DEPTH, null)),
        fabric.own(device.createCompletionQueue(COMPLETION_DEPTH, null)),
        shape);
  }

  /** Makes an end that shares its domain or completion queues. */
  Endpoint(
      Fabric fabric,
      Device device,
      ProtectionDomain domain,
      CompletionQueue sends,
      CompletionQueue receives,
      UnaryOperator<QueuePairAttributes> shape) {
    this.fabric = fabric;
    this.device = device;
    this.domain = domain;
    this.sends = new Completions(sends);
    this.receives = new Completions(receives);
    QueuePairAttributes usual =
        QueuePairAttributes.of(sends, receives)
            .withRnrRetries((int) Await.PATIENCE.dividedBy(RNR_TIMER), RNR_TIMER);
    this.queuePair = fabric.own(domain.createQueuePair(shape.apply(usual)));
  }

  Device device() {
    return device;
  }

  ProtectionDomain domain() {
    return domain;
  }

  QueuePair queuePair() {
    return queuePair;
  }

  /** Completions of the send queue. */
  Completions sends() {
    return sends;
  }

  /** Completions of the receive queue. */
  Completions receives() {
    return receives;
  }

  /** New memory that peers may read and write. */
  TestMemory memory(long bytes) {
    return memory(bytes, ALL_ACCESS);
  }

  TestMemory memory(long bytes, Set<AccessFlag> access) {
    return memory(0, bytes, 0, access);
  }

  /** New memory of which {@code length} bytes are registered, with room before and behind. */
  TestMemory memory(long before, long length, long behind, Set<AccessFlag> access) {
    var memory = fabric.own(device.allocate(before + length + behind));
    return new TestMemory(fabric.own(domain.register(memory, before, length, access)));
  }

  /** New memory that can be persisted, of which the middle is registered. */
  TestMemory persistentMemory(
      TestPersistence persistence, long before, long length, Set<AccessFlag> access) {
    return new TestMemory(fabric.own(domain.register(persistence, before, length, access)));
  }

  /** A registered direct buffer that the device did not allocate. */
  TestMemory foreignMemory(int bytes, Set<AccessFlag> access) {
    var memory = fabric.own(MappedMemory.of(ByteBuffer.allocateDirect(bytes)));
    return new TestMemory(fabric.own(domain.register(memory, 0, bytes, access)));
  }

  void post(SendRequest request) {
    queuePair.postSend(request);
  }

  void post(ReceiveRequest request) {
    queuePair.postReceive(request);
  }

  /** Posts a RECV without buffers. */
  void postReceive(long id) {
    queuePair.postReceive(new ReceiveRequest(1).begin(id));
  }

  /** Posts a request and waits for its success. */
  Completion run(SendRequest request) {
    post(request.signaled());
    Completion done = sends.next();
    return done.expectSuccess(request.requestId(), request.operation().opcode());
  }

  void awaitState(QueuePair.State state) {
    Await.until("state " + state + " of queue pair " + queuePair.number(), () -> is(state));
  }

  private boolean is(QueuePair.State state) {
    return queuePair.state() == state;
  }
}
