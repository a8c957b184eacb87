// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The calls that a server received on one connection: how they come in, and how answers go out. */
final class ServerCalls {
  private static final long LONGEST_CALL_MICROS = TimeUnit.DAYS.toMicros(7);

  private final ServerContext server;
  private final Link link;
  private final RpcPeer peer;
  private final OutgoingRendezvous outgoing;
  private final IncomingRendezvous incoming;
  private final AtomicInteger open = new AtomicInteger();

  ServerCalls(ServerContext server, Link link, RpcPeer peer) {
    this.server = server;
    this.link = link;
    this.peer = peer;
    this.outgoing = new OutgoingRendezvous(server.resources().outgoing());
    this.incoming = new IncomingRendezvous(server.resources().incoming(), link);
  }

  RpcPeer peer() {
    return peer;
  }

  BulkChannel bulk() {
    return link.bulk();
  }

  boolean isAlive() {
    return link.failure() == null;
  }

  /** Takes a message of the client. */
  void message(ReceivedMessage message) {
    switch (message.header().kind()) {
      case REQUEST, ONE_WAY -> requested(message);
      case REQUEST_RENDEZVOUS, ONE_WAY_RENDEZVOUS -> offered(message);
      case RENDEZVOUS_DONE -> outgoing.release(message.header().callId());
      default ->
          link.fail(
              RpcFailures.protocol(
                  link.toString(), "a " + message.header().kind() + " from a client"));
    }
  }

  void failed(RpcException cause) {
    incoming.close(cause);
  }

  /** The queue pairs are gone: nobody can READ what was offered. */
  void freed() {
    outgoing.close();
  }

  void recycle(ServerCall call) {
    server.recycle(call);
  }

  void answered() {
    open.decrementAndGet();
  }

  /** Sends a response; nothing if the client is gone or waits no more. */
  void respond(long callId, long deadline, ByteBuffer response) {
    int from = response.position();
    int length = response.remaining();
    if (length > server.options().maxMessage()) {
      throw new RpcException(
          RpcException.Code.MESSAGE_TOO_LARGE,
          true,
          "a response of " + length + " bytes, longer than " + server.options().maxMessage(),
          null);
    }
    if (!isAlive() || deadline - System.nanoTime() <= 0) {
      return;
    }
    if (length <= link.sender().largestEager()) {
      send(MessageKind.RESPONSE, MessageStatus.OK, callId, response, from, length);
    } else {
      boolean mayWait = !link.reactor().isReactorThread();
      ByteBuffer offer =
          outgoing.offer(callId, response, from, length, mayWait ? new Deadline(deadline) : null);
      send(MessageKind.RESPONSE_RENDEZVOUS, MessageStatus.OK, callId, offer, 0, offer.capacity());
    }
  }

  void respondFailure(long callId, MessageStatus status, int code, String message) {
    ByteBuffer text = FailureText.encode(code, message, link.sender().largestEager());
    send(MessageKind.RESPONSE, status, callId, text, 0, text.remaining());
  }

  private void requested(ReceivedMessage message) {
    MessageHeader header = message.header();
    RpcMethods.Entry entry = admit(header, header.kind() == MessageKind.ONE_WAY);
    if (entry == null) {
      return;
    }
    ServerCall call = server.takeCall();
    call.begin(this, entry.handler(), message, deadline(header));
    run(call, entry);
  }

  private void offered(ReceivedMessage message) {
    MessageHeader header = message.header();
    if (message.payloadLength() != RendezvousDescriptor.LENGTH) {
      link.fail(RpcFailures.protocol(link.toString(), "a malformed rendezvous"));
      return;
    }
    RendezvousDescriptor offer = RendezvousDescriptor.decode(message.copyPayload());
    boolean oneWay = header.kind() == MessageKind.ONE_WAY_RENDEZVOUS;
    long callId = header.callId();
    int method = header.method();
    long until = deadline(header);
    if (offer.length() <= 0 || offer.length() > server.options().maxMessage()) {
      link.sendRendezvousDone(callId);
      refuse(
          callId,
          oneWay,
          MessageStatus.TOO_LARGE,
          "a request of "
              + offer.length()
              + " bytes, longer than "
              + server.options().maxMessage());
      return;
    }
    RpcMethods.Entry entry = admit(header, oneWay);
    if (entry == null) {
      link.sendRendezvousDone(callId);
      return;
    }
    incoming.fetch(
        offer,
        new Deadline(until),
        (buffer, failure) -> {
          link.sendRendezvousDone(callId);
          if (failure != null) {
            answered();
            return;
          }
          ServerCall call = server.takeCall();
          call.begin(this, entry.handler(), buffer);
          call.identify(method, callId, until, oneWay);
          run(call, entry);
        });
  }

  /** The method, with one more call open; null if the call was refused. */
  private RpcMethods.Entry admit(MessageHeader header, boolean oneWay) {
    long callId = header.callId();
    if (header.incarnation() != link.agreement().incarnation()) {
      refuse(callId, oneWay, MessageStatus.WRONG_INCARNATION, "another start of the server");
      return null;
    }
    RpcMethods.Entry entry = server.methods().find(header.method());
    if (entry == null) {
      refuse(callId, oneWay, MessageStatus.NO_SUCH_METHOD, "no method " + header.method());
      return null;
    }
    if (open.incrementAndGet() > server.options().maxOutstanding()) {
      open.decrementAndGet();
      server.counters().overloaded.increment();
      refuse(callId, oneWay, MessageStatus.OVERLOADED, "too many open calls on the connection");
      return null;
    }
    server.counters().calls.increment();
    return entry;
  }

  private void run(ServerCall call, RpcMethods.Entry entry) {
    if (entry.inline()) {
      call.run();
      return;
    }
    try {
      server.workers().execute(call);
    } catch (RejectedExecutionException e) {
      server.counters().overloaded.increment();
      call.answer(MessageStatus.OVERLOADED, 0, "too many calls wait for a worker");
      server.recycle(call);
    }
  }

  private void refuse(long callId, boolean oneWay, MessageStatus status, String why) {
    if (!oneWay) {
      respondFailure(callId, status, 0, why);
    }
  }

  private void send(
      MessageKind kind, MessageStatus status, long callId, ByteBuffer bytes, int from, int length) {
    try {
      link.send(kind, status, 0, callId, 0, bytes, from, length);
    } catch (RpcException e) {
      // The client is gone, or does not take answers off; the latter ends the connection.
      link.fail(e);
    }
  }

  private static long deadline(MessageHeader header) {
    long micros = Math.max(0, Math.min(header.timeLeftMicros(), LONGEST_CALL_MICROS));
    return System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(micros);
  }
}
