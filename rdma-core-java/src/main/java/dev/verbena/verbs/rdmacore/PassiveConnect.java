// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.jni.NativeLibrary;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.ConnectionRequest;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.VerbsException.Code;
import java.lang.ref.Reference;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** The passive side of one connect. */
final class PassiveConnect implements ConnectionRequest {
  private final RdmaDevice device;
  private final ConnectionEvent request;
  private final Conversation conversation;

  PassiveConnect(RdmaDevice device, ConnectionEvent request, Conversation conversation) {
    this.device = device;
    this.request = request;
    this.conversation = conversation;
  }

  @Override
  public InetSocketAddress remoteAddress() {
    return request.remote();
  }

  @Override
  public byte[] privateData() {
    return request.privateData().clone();
  }

  @Override
  public void accept(QueuePair accepted, byte[] privateData, Deadline deadline) {
    device.requirePrivateData(privateData);
    RdmaQueuePair queuePair = (RdmaQueuePair) accepted;
    queuePair.beginConnecting();
    boolean connected = false;
    try {
      accept(queuePair, privateData, deadline);
      connected = true;
    } finally {
      if (!connected) {
        queuePair.breakConnection();
        conversation.close();
      }
    }
  }

  private void accept(RdmaQueuePair queuePair, byte[] privateData, Deadline deadline) {
    String what = "accepting " + request.remote();
    if (conversation.isOver()) {
      throw new VerbsException(Code.DISCONNECTED, what + ": it went away");
    }
    int mtu = makeReady(queuePair, what);
    queuePair.mayHearOfPeer();
    int accepted = reply(queuePair, ReplyHeader.encode(mtu, privateData));
    if (accepted < 0) {
      throw new VerbsException(
          Code.DISCONNECTED, what + ": it went away, " + NativeLibrary.describe(-accepted));
    }
    ConnectionEvent event = conversation.next(deadline, what);
    if (event.type() != ConnectionEvent.Type.ESTABLISHED) {
      throw new VerbsException(Code.DISCONNECTED, what + ": " + event.type());
    }
    queuePair.connected(conversation);
  }

  private int reply(RdmaQueuePair queuePair, byte[] reply) {
    ByteBuffer data = NativeMemory.buffer(reply.length).put(0, reply);
    try {
      return Native.idAccept(
          conversation.id(),
          queuePair.handle(),
          Math.min(request.readsOfPeer(), device.maxReads()),
          Math.min(request.reads(), device.maxReads()),
          RetryCodes.rnrRetries(queuePair.attributes()),
          NativeMemory.address(data),
          reply.length);
    } finally {
      Reference.reachabilityFence(data);
    }
  }

  private int makeReady(RdmaQueuePair queuePair, String what) {
    try {
      return queuePair.makeReady(conversation, device.mtu());
    } catch (VerbsException e) {
      // The manager drops the event of a peer that gave up early, and then finds the request
      // invalid.
      throw e.code() == Code.INVALID_ARGUMENT
          ? new VerbsException(Code.DISCONNECTED, what + ": it went away", e)
          : e;
    }
  }

  @Override
  public void reject(byte[] privateData) {
    device.requirePrivateData(privateData);
    ByteBuffer data = NativeMemory.buffer(privateData.length + 1).put(0, privateData);
    try {
      // Whether it still waits for an answer is nothing to whoever declines.
      Native.idReject(conversation.id(), NativeMemory.address(data), privateData.length);
    } finally {
      Reference.reachabilityFence(data);
    }
    conversation.close();
  }
}
