// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.Await;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.TrafficClass;
import dev.verbena.verbs.WorkCompletion;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.EnumSet;

/** A client made of bare verbs, which says what it is told to say. */
final class RawPeer implements AutoCloseable {
  /** A message that came in. */
  record Received(MessageKind kind, MessageStatus status, ByteBuffer payload) {}

  private static final int SIZE = 4096;
  private static final int DEPTH = 16;
  private static final int SEND_ID = 1000;

  private final ProtectionDomain domain;
  private final CompletionQueue queue;
  private final QueuePair queuePair;
  private final MappedMemory memory;
  private final MemoryRegion region;
  private final WorkCompletion[] one = WorkCompletion.array(1);
  private boolean broken;

  RawPeer(Device device, InetSocketAddress server, TrafficClass trafficClass, byte[] privateData) {
    domain = device.createProtectionDomain();
    queue = device.createCompletionQueue(4 * DEPTH, null);
    queuePair =
        domain.createQueuePair(
            QueuePairAttributes.of(queue, queue)
                .withDepths(DEPTH, DEPTH)
                .withTrafficClass(trafficClass));
    memory = device.allocate((DEPTH + 1L) * SIZE);
    region = domain.register(memory, 0, memory.size(), EnumSet.of(AccessFlag.LOCAL_WRITE));
    for (int i = 0; i < DEPTH; i++) {
      post(i);
    }
    try {
      device.connect(
          queuePair, new ConnectionParameters(server, null, privateData, RpcFixture.soon()));
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Connected as a client's control queue pair. */
  static RawPeer control(Device device, InetSocketAddress server) {
    return new RawPeer(device, server, TrafficClass.CONTROL, ConnectData.control().encode());
  }

  /** Connected as the bulk queue pair that the private data tells of. */
  static RawPeer bulk(Device device, InetSocketAddress server, ConnectData data) {
    return new RawPeer(device, server, TrafficClass.BULK, data.encode());
  }

  /** Sends these bytes as they are. */
  void send(ByteBuffer bytes) {
    int length = bytes.remaining();
    memory.put((long) DEPTH * SIZE, bytes, bytes.position(), length);
    queuePair.postSend(
        new SendRequest(1)
            .send(SEND_ID)
            .buffer(region.address() + (long) DEPTH * SIZE, length, region.localKey())
            .signaled()
            .solicited());
  }

  /** Sends a well-formed message. */
  void send(MessageHeader header, ByteBuffer payload) {
    ByteBuffer bytes = ByteBuffer.allocate(MessageHeader.LENGTH + payload.remaining());
    bytes.put(0, header.bytes(), 0, MessageHeader.LENGTH);
    bytes.put(MessageHeader.LENGTH, payload, payload.position(), payload.remaining());
    send(bytes);
  }

  /** Sends a message of the handshake. */
  void sendHandshake(MessageKind kind, ByteBuffer payload) {
    send(header().set(0, kind, MessageStatus.OK, 0, payload.remaining(), 0, 0, 0), payload);
  }

  static MessageHeader header() {
    return new MessageHeader(ByteBuffer.allocate(MessageHeader.LENGTH));
  }

  /** The next message. */
  Received receive() {
    Received[] got = new Received[1];
    Await.until("a message", () -> (got[0] = poll()) != null || broken);
    if (got[0] == null) {
      throw new AssertionError("the connection broke, no message came");
    }
    return got[0];
  }

  /** Waits until the server ends the connection. */
  void awaitBroken() {
    Await.until(
        "the end of the connection",
        () -> {
          poll();
          return broken;
        });
  }

  boolean isBroken() {
    poll();
    return broken;
  }

  private Received poll() {
    if (queue.poll(one) == 0) {
      return null;
    }
    WorkCompletion completion = one[0];
    if (completion.status() != CompletionStatus.SUCCESS) {
      broken = true;
      return null;
    }
    if (completion.requestId() == SEND_ID) {
      return null;
    }
    ReceivedMessage message = new ReceivedMessage(memory);
    String defect = message.take(completion.requestId() * SIZE, completion.byteLength());
    if (defect != null) {
      throw new AssertionError(defect);
    }
    Received received =
        new Received(message.header().kind(), message.header().status(), message.copyPayload());
    post((int) completion.requestId());
    return received;
  }

  private void post(int buffer) {
    queuePair.postReceive(
        new ReceiveRequest(1)
            .begin(buffer)
            .buffer(region.address() + (long) buffer * SIZE, SIZE, region.localKey()));
  }

  QueuePair queuePair() {
    return queuePair;
  }

  @Override
  public void close() {
    queuePair.close();
    queue.close();
    region.close();
    memory.close();
    domain.close();
  }
}
