// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A received call, with a buffer of its own for the request. It is used again only if its handler
 * answered before it returned: who answers later, from another thread, may hold on to the object.
 */
final class ServerCall implements RpcCall, Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(ServerCall.class);
  private static final int OPEN = 0;
  private static final int ANSWERED = 1;

  private final ByteBuffer eager;
  private final AtomicInteger state = new AtomicInteger(ANSWERED);
  private ServerCalls calls;
  private RpcHandler handler;
  private ByteBuffer request;
  private RegisteredBuffer large;
  private int method;
  private long callId;
  private long deadline;
  private boolean oneWay;
  private Thread answeredBy;

  ServerCall(int eagerBytes) {
    eager = ByteBuffer.allocate(eagerBytes);
  }

  /** Begins a call whose request is in the message. */
  void begin(ServerCalls owner, RpcHandler newHandler, ReceivedMessage message, long until) {
    message.copyPayload(eager.clear(), 0);
    begin(owner, newHandler, eager.limit(message.payloadLength()), null);
    MessageHeader header = message.header();
    identify(header.method(), header.callId(), until, header.kind() == MessageKind.ONE_WAY);
  }

  /** Begins a call whose request was READ. */
  void begin(ServerCalls owner, RpcHandler newHandler, RegisteredBuffer message) {
    begin(owner, newHandler, message.view(), message);
  }

  void identify(int newMethod, long newCallId, long until, boolean noAnswer) {
    method = newMethod;
    callId = newCallId;
    deadline = until;
    oneWay = noAnswer;
    state.set(OPEN);
  }

  private void begin(
      ServerCalls owner, RpcHandler newHandler, ByteBuffer bytes, RegisteredBuffer held) {
    calls = owner;
    handler = newHandler;
    request = bytes;
    large = held;
    answeredBy = null;
  }

  @Override
  public void run() {
    if (calls.isAlive() && deadline - System.nanoTime() > 0) {
      handle();
    } else if (state.compareAndSet(OPEN, ANSWERED)) {
      answered();
    }
    if (state.get() == ANSWERED && answeredBy == Thread.currentThread()) {
      calls.recycle(this);
    }
  }

  private void handle() {
    try {
      handler.handle(this);
      if (oneWay && state.compareAndSet(OPEN, ANSWERED)) {
        answered();
      }
    } catch (Throwable e) {
      // Errors too: the caller must hear of it, and the worker serves others.
      if (state.get() == OPEN) {
        LOG.debug("handler of method {} threw", method, e);
        answer(MessageStatus.HANDLER_FAILED, RemoteFailureException.HANDLER_THREW, e.toString());
      } else {
        LOG.warn("handler of method {} threw after it had answered", method, e);
      }
    }
  }

  @Override
  public int method() {
    return method;
  }

  @Override
  public ByteBuffer request() {
    return request;
  }

  @Override
  public RpcPeer peer() {
    return calls.peer();
  }

  @Override
  public Deadline deadline() {
    return new Deadline(deadline);
  }

  @Override
  public BulkChannel bulk() {
    return calls.bulk();
  }

  @Override
  public void reply(ByteBuffer response) {
    take();
    try {
      if (!oneWay) {
        calls.respond(callId, deadline, response);
      }
    } catch (RpcException e) {
      state.set(OPEN);
      throw e;
    }
    answered();
  }

  @Override
  public void fail(int code, String message) {
    if (code < 0) {
      throw new IllegalArgumentException("failure code " + code + ", expected at least 0");
    }
    if (!answer(MessageStatus.HANDLER_FAILED, code, message)) {
      throw answeredBefore();
    }
  }

  /** Answers with a failure; false if the call was answered before. */
  boolean answer(MessageStatus status, int code, String message) {
    if (!state.compareAndSet(OPEN, ANSWERED)) {
      return false;
    }
    if (!oneWay) {
      calls.respondFailure(callId, status, code, message);
    }
    answered();
    return true;
  }

  private void take() {
    if (!state.compareAndSet(OPEN, ANSWERED)) {
      throw answeredBefore();
    }
  }

  private void answered() {
    RegisteredBuffer held = large;
    large = null;
    request = null;
    if (held != null) {
      held.close();
    }
    answeredBy = Thread.currentThread();
    calls.answered();
  }

  private IllegalStateException answeredBefore() {
    return new IllegalStateException("call " + callId + " was answered before");
  }
}
