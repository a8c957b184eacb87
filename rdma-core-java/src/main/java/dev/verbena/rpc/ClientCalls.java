// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** The calls of a client's connection: how they go out, and how their answers come in. */
final class ClientCalls implements Timed {
  private final RpcOptions options;
  private final Link link;
  private final Reactor reactor;
  private final CallTable table;
  private final OutgoingRendezvous outgoing;
  private final IncomingRendezvous incoming;

  ClientCalls(RpcResources resources, Link link) {
    this.options = resources.options();
    this.link = link;
    this.reactor = link.reactor();
    this.table = new CallTable(options.maxOutstanding());
    this.outgoing = new OutgoingRendezvous(resources.outgoing());
    this.incoming = new IncomingRendezvous(resources.incoming(), link);
    reactor.add(this);
  }

  ByteBuffer call(int method, ByteBuffer request, Deadline deadline) {
    CallSlot slot = run(method, request, null, deadline);
    RegisteredBuffer fetched = slot.fetched();
    ByteBuffer response = slot.response();
    if (fetched != null) {
      response = ByteBuffer.allocate(slot.length());
      copyAndClose(fetched, response, 0);
    }
    table.free(slot);
    return response;
  }

  int call(int method, ByteBuffer request, ByteBuffer response, Deadline deadline) {
    CallSlot slot = run(method, request, response, deadline);
    int length = slot.length();
    RegisteredBuffer fetched = slot.fetched();
    if (fetched != null) {
      copyAndClose(fetched, response, response.position());
    }
    table.free(slot);
    response.position(response.position() + length);
    return length;
  }

  CompletableFuture<ByteBuffer> callAsync(int method, ByteBuffer request, Deadline deadline) {
    CompletableFuture<ByteBuffer> future = new CompletableFuture<>();
    CallSlot slot;
    try {
      link.checkAlive();
      slot = table.open(null, future, deadline.nanoTime());
    } catch (RpcException e) {
      future.completeExceptionally(e);
      return future;
    }
    reactor.beginUnattended();
    reactor.timerAt(deadline.nanoTime());
    long id = slot.callId();
    try {
      post(MessageKind.REQUEST, method, id, request, deadline);
    } catch (RpcException e) {
      if (slot.beginFill(id)) {
        slot.setFailure(e);
        finish(slot);
      }
    }
    return future;
  }

  void send(int method, ByteBuffer request, Deadline deadline) {
    link.checkAlive();
    post(MessageKind.ONE_WAY, method, table.nextId(), request, deadline);
  }

  /** Takes a message of the server. */
  void message(ReceivedMessage message) {
    MessageHeader header = message.header();
    long id = header.callId();
    if (!table.isKnown(id)) {
      link.fail(RpcFailures.protocol(link.toString(), "an answer to a call that never was"));
      return;
    }
    switch (header.kind()) {
      case RESPONSE -> answered(message, id);
      case RESPONSE_RENDEZVOUS -> offered(message, id);
      case RENDEZVOUS_DONE -> outgoing.release(id);
      default ->
          link.fail(RpcFailures.protocol(link.toString(), "a " + header.kind() + " from a server"));
    }
  }

  /** The link has failed: every open call ends. */
  void failAll(RpcException cause) {
    for (int i = 0; i < table.size(); i++) {
      CallSlot slot = table.at(i);
      if (slot == null) {
        continue;
      }
      long id = slot.callId();
      if (slot.beginFill(id) || slot.beginFillFetched(id)) {
        slot.setFailure(RpcFailures.broken(cause, !withdraw(id)));
        finish(slot);
      }
    }
    incoming.close(cause);
  }

  /** The queue pairs are gone: nobody can READ what was offered. */
  void freed() {
    reactor.remove(this);
    outgoing.close();
  }

  @Override
  public long expire(long now) {
    long next = NEVER;
    for (int i = 0; i < table.size(); i++) {
      CallSlot slot = table.at(i);
      if (slot == null || !slot.isOpen() || slot.future() == null) {
        continue;
      }
      long id = slot.callId();
      long left = slot.deadline() - now;
      if (left > 0) {
        next = Math.min(next, left);
      } else if (slot.beginFill(id) || slot.beginFillFetched(id)) {
        slot.setFailure(timedOut(id));
        finish(slot);
      }
    }
    return next;
  }

  /**
   * Runs a call whose caller waits; the outcome is a success, in the slot, which is the caller's.
   */
  private CallSlot run(int method, ByteBuffer request, ByteBuffer target, Deadline deadline) {
    link.checkAlive();
    CallSlot slot = table.open(target, null, deadline.nanoTime());
    long id = slot.callId();
    try {
      post(MessageKind.REQUEST, method, id, request, deadline);
      reactor.await(slot, link.completions(), deadline);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      giveUp(
          slot,
          new RpcException(
              RpcException.Code.INTERRUPTED,
              !withdraw(id),
              "interrupted while waiting for an answer",
              e));
    } catch (RuntimeException e) {
      giveUp(slot, e);
    }
    if (!slot.isDone()) {
      if (slot.abandon(id)) {
        table.free(slot);
        throw timedOut(id);
      }
      awaitFilled(slot);
    }
    if (slot.failure() != null) {
      RpcException failure = slot.failure();
      table.free(slot);
      throw failure;
    }
    return slot;
  }

  private void giveUp(CallSlot slot, RuntimeException cause) {
    if (!slot.abandon(slot.callId())) {
      awaitFilled(slot);
      if (slot.fetched() != null) {
        slot.fetched().close();
      }
    }
    table.free(slot);
    throw cause;
  }

  /** Another thread is about to set the outcome, which is a matter of one copy at most. */
  private static void awaitFilled(CallSlot slot) {
    while (!slot.isDone()) {
      Thread.yield();
    }
  }

  private RpcException timedOut(long id) {
    boolean unsent = withdraw(id);
    return new RpcException(
        RpcException.Code.TIMED_OUT,
        !unsent,
        unsent ? "the request could not be sent in time" : "no answer came in time",
        null);
  }

  /** Takes a request back; false if it was sent. */
  private boolean withdraw(long id) {
    boolean unsent = link.sender().withdraw(id);
    if (unsent) {
      outgoing.release(id);
    }
    return unsent;
  }

  private void post(MessageKind kind, int method, long id, ByteBuffer request, Deadline deadline) {
    int from = request.position();
    int length = request.remaining();
    if (length <= link.sender().largestEager()) {
      link.send(kind, MessageStatus.OK, method, id, deadline.nanoTime(), request, from, length);
      return;
    }
    if (length > options.maxMessage()) {
      throw new RpcException(
          RpcException.Code.MESSAGE_TOO_LARGE,
          false,
          "a request of " + length + " bytes, longer than " + options.maxMessage(),
          null);
    }
    MessageKind rendezvous =
        kind == MessageKind.REQUEST
            ? MessageKind.REQUEST_RENDEZVOUS
            : MessageKind.ONE_WAY_RENDEZVOUS;
    ByteBuffer offer = outgoing.offer(id, request, from, length, deadline);
    try {
      link.send(
          rendezvous,
          MessageStatus.OK,
          method,
          id,
          deadline.nanoTime(),
          offer,
          0,
          offer.capacity());
    } catch (RpcException e) {
      outgoing.release(id);
      throw e;
    }
  }

  private void answered(ReceivedMessage message, long id) {
    CallSlot slot = table.find(id);
    if (slot == null || !slot.beginFill(id)) {
      return; // It missed the deadline.
    }
    MessageStatus status = message.header().status();
    if (status != MessageStatus.OK) {
      slot.setFailure(FailureText.decode(status, message.copyPayload()));
    } else if (slot.target() == null) {
      slot.setResponse(message.copyPayload());
    } else if (slot.target().remaining() < message.payloadLength()) {
      slot.setFailure(noRoom(message.payloadLength(), slot.target()));
    } else {
      message.copyPayload(slot.target(), slot.target().position());
      slot.setFilled(message.payloadLength());
    }
    finish(slot);
  }

  private void offered(ReceivedMessage message, long id) {
    if (message.payloadLength() != RendezvousDescriptor.LENGTH) {
      link.fail(RpcFailures.protocol(link.toString(), "a malformed rendezvous"));
      return;
    }
    RendezvousDescriptor offer = RendezvousDescriptor.decode(message.copyPayload());
    CallSlot slot = table.find(id);
    if (slot == null || !slot.beginFetch(id)) {
      link.sendRendezvousDone(id);
    } else if (offer.length() <= 0 || offer.length() > options.maxMessage()) {
      link.sendRendezvousDone(id);
      fail(
          slot,
          id,
          new RpcException(
              RpcException.Code.MESSAGE_TOO_LARGE,
              true,
              "a response of " + offer.length() + " bytes, longer than " + options.maxMessage(),
              null));
    } else {
      incoming.fetch(
          offer,
          new Deadline(slot.deadline()),
          (buffer, failure) -> {
            link.sendRendezvousDone(id);
            if (failure == null) {
              fetched(slot, id, buffer);
            } else {
              fail(slot, id, failure);
            }
          });
    }
  }

  private void fetched(CallSlot slot, long id, RegisteredBuffer buffer) {
    if (!slot.beginFillFetched(id)) {
      buffer.close();
      return;
    }
    if (slot.future() != null) {
      ByteBuffer response = ByteBuffer.allocate((int) buffer.length());
      copyAndClose(buffer, response, 0);
      slot.setResponse(response);
    } else if (slot.target() != null && slot.target().remaining() < buffer.length()) {
      slot.setFailure(noRoom(buffer.length(), slot.target()));
      buffer.close();
    } else {
      slot.setFetched(buffer);
    }
    finish(slot);
  }

  private void fail(CallSlot slot, long id, RpcException failure) {
    if (slot.beginFillFetched(id)) {
      slot.setFailure(failure);
      finish(slot);
    }
  }

  /** The outcome is set: tells who wants it. */
  private void finish(CallSlot slot) {
    CompletableFuture<ByteBuffer> future = slot.future();
    if (future == null) {
      slot.done();
      reactor.wake(slot);
      return;
    }
    RpcException failure = slot.failure();
    ByteBuffer response = slot.response();
    slot.done();
    table.free(slot);
    reactor.endUnattended();
    if (failure == null) {
      future.complete(response);
    } else {
      future.completeExceptionally(failure);
    }
  }

  private static RpcException noRoom(long length, ByteBuffer target) {
    return new RpcException(
        RpcException.Code.MESSAGE_TOO_LARGE,
        true,
        "a response of " + length + " bytes for a buffer with room for " + target.remaining(),
        null);
  }

  private static void copyAndClose(RegisteredBuffer from, ByteBuffer to, int index) {
    try (from) {
      from.memory().get(from.offset(), to, index, (int) from.length());
    }
  }
}
