// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.jni.NativeLibrary;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.ConnectionRejectedException;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.VerbsException.Code;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/** The active side of one connect: resolve, connect, establish, within one deadline. */
final class ActiveConnect {
  /** Reasons of a reject: InfiniBand Architecture specification, volume 1, 12.6.7.2. */
  private static final int NOBODY_LISTENS = 8;

  private static final int BY_THE_APPLICATION = 28;

  private final RdmaDevice device;
  private final RdmaQueuePair queuePair;
  private final ConnectionParameters parameters;
  private final Deadline deadline;

  ActiveConnect(RdmaDevice device, RdmaQueuePair queuePair, ConnectionParameters parameters) {
    this.device = device;
    this.queuePair = queuePair;
    this.parameters = parameters;
    this.deadline = parameters.deadline();
  }

  /** Connects and returns the passive side's private data. */
  byte[] run() {
    queuePair.beginConnecting();
    Conversation conversation = null;
    boolean connected = false;
    try {
      conversation = Conversation.begin(device);
      byte[] data = connect(conversation);
      connected = true;
      return data;
    } finally {
      if (!connected) {
        queuePair.breakConnection();
        if (conversation != null) {
          conversation.close();
        }
      }
    }
  }

  private byte[] connect(Conversation conversation) {
    long id = conversation.id();
    resolveAddress(id);
    expect(conversation, ConnectionEvent.Type.ADDRESS_RESOLVED);
    if (Failures.check(Native.idIsOn(id, device.handle()), "resolving " + target()) == 0) {
      throw new VerbsException(
          Code.UNREACHABLE, target() + " is not reached by way of " + device.name());
    }
    Failures.check(Native.idResolveRoute(id, millisLeft()), "finding a route to " + target());
    expect(conversation, ConnectionEvent.Type.ROUTE_RESOLVED);
    request(id);
    byte[] reply = expect(conversation, ConnectionEvent.Type.CONNECT_RESPONSE).privateData();
    queuePair.makeReady(conversation, Math.min(device.mtu(), ReplyHeader.mtu(reply)));
    Failures.check(Native.idEstablish(id), "connecting to " + target());
    queuePair.connected(conversation);
    return ReplyHeader.data(reply);
  }

  private void resolveAddress(long id) {
    ByteBuffer addresses = NativeMemory.buffer(2 * AddressLayout.SIZE);
    AddressLayout.write(addresses, 0, parameters.local());
    AddressLayout.write(addresses, AddressLayout.SIZE, parameters.remote());
    long at = NativeMemory.address(addresses);
    try {
      Failures.check(
          Native.idResolveAddress(id, at, at + AddressLayout.SIZE, millisLeft()),
          "resolving " + target());
    } finally {
      Reference.reachabilityFence(addresses);
    }
  }

  private void request(long id) {
    ByteBuffer data = NativeMemory.buffer(device.attributes().maxPrivateData());
    byte[] question = parameters.privateData();
    data.put(0, question);
    try {
      Failures.check(
          Native.idConnect(
              id,
              queuePair.handle(),
              device.maxReads(),
              RetryCodes.rnrRetries(queuePair.attributes()),
              NativeMemory.address(data),
              question.length),
          "connecting to " + target());
    } finally {
      Reference.reachabilityFence(data);
    }
  }

  private ConnectionEvent expect(Conversation conversation, ConnectionEvent.Type wanted) {
    ConnectionEvent event = conversation.next(deadline, "connecting to " + target());
    if (event.type() != wanted) {
      throw failure(event);
    }
    return event;
  }

  private VerbsException failure(ConnectionEvent event) {
    if (deadline.hasPassed()) {
      return new VerbsException(
          Code.TIMED_OUT, "connecting to " + target() + ": no answer before the deadline");
    }
    if (event.type() == ConnectionEvent.Type.REJECTED && event.status() == BY_THE_APPLICATION) {
      return new ConnectionRejectedException(target() + " rejected", event.privateData());
    }
    String why =
        event.type() == ConnectionEvent.Type.REJECTED
            ? event.status() == NOBODY_LISTENS
                ? "nobody listens there"
                : "rejected, reason " + event.status()
            : event.type() + ", " + NativeLibrary.describe(Math.abs(event.status()));
    return new VerbsException(Code.UNREACHABLE, "connecting to " + target() + ": " + why);
  }

  private int millisLeft() {
    if (deadline.hasPassed()) {
      throw new VerbsException(
          Code.TIMED_OUT, "connecting to " + target() + ": the deadline has passed");
    }
    return (int) Math.min(deadline.remainingMillis(), Integer.MAX_VALUE);
  }

  private String target() {
    return parameters.remote().toString();
  }
}
