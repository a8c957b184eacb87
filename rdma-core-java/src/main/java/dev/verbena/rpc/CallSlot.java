// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * A place for one open call, used again and again. Call id and state are one word, so that a late
 * answer can never be taken for that of the slot's next call.
 *
 * <pre>
 * FREE -> PENDING -> FILLING -> DONE -> FREE     answered, or failed
 *         PENDING -> FETCHING -> FILLING         answered by a rendezvous
 *         PENDING, FETCHING -> ABANDONED -> FREE the deadline passed
 * </pre>
 */
final class CallSlot extends Awaited {
  private static final int STATE_BITS = 3;
  private static final long STATE_MASK = (1 << STATE_BITS) - 1;
  private static final int FREE = 0;
  private static final int PENDING = 1;
  private static final int FETCHING = 2;
  private static final int FILLING = 3;
  private static final int DONE = 4;
  private static final int ABANDONED = 5;
  private static final VarHandle WORD;

  static {
    try {
      WORD = MethodHandles.lookup().findVarHandle(CallSlot.class, "word", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unused") // by its VarHandle
  private volatile long word;

  private ByteBuffer target;
  private CompletableFuture<ByteBuffer> future;
  private long deadline;
  private ByteBuffer response;
  private RegisteredBuffer fetched;
  private int length;
  private RpcException failure;

  boolean isFree() {
    return state() == FREE;
  }

  /**
   * Opens a call.
   *
   * @param into where a waiting caller wants the response; null for a new buffer
   * @param told whom to tell; null if the caller waits
   */
  void open(long callId, ByteBuffer into, CompletableFuture<ByteBuffer> told, long deadlineNanos) {
    target = into;
    future = told;
    deadline = deadlineNanos;
    response = null;
    fetched = null;
    length = 0;
    failure = null;
    word = word(callId, PENDING);
  }

  void free() {
    target = null;
    future = null;
    response = null;
    word = FREE;
  }

  long callId() {
    return word >>> STATE_BITS;
  }

  boolean isOpen() {
    int state = state();
    return state == PENDING || state == FETCHING;
  }

  boolean beginFetch(long callId) {
    return move(callId, PENDING, FETCHING);
  }

  /** From now on the calling thread alone may set the outcome, and must. */
  boolean beginFill(long callId) {
    return move(callId, PENDING, FILLING);
  }

  boolean beginFillFetched(long callId) {
    return move(callId, FETCHING, FILLING);
  }

  /** The caller waits no more; false if the outcome is there, or about to be. */
  boolean abandon(long callId) {
    return move(callId, PENDING, ABANDONED) || move(callId, FETCHING, ABANDONED);
  }

  ByteBuffer target() {
    return target;
  }

  CompletableFuture<ByteBuffer> future() {
    return future;
  }

  long deadline() {
    return deadline;
  }

  void setResponse(ByteBuffer bytes) {
    response = bytes;
    length = bytes.remaining();
  }

  void setFilled(int bytes) {
    length = bytes;
  }

  void setFetched(RegisteredBuffer bytes) {
    fetched = bytes;
    length = (int) bytes.length();
  }

  void setFailure(RpcException cause) {
    failure = cause;
  }

  void done() {
    word = (word & ~STATE_MASK) | DONE;
  }

  @Override
  boolean isDone() {
    return state() == DONE;
  }

  ByteBuffer response() {
    return response;
  }

  RegisteredBuffer fetched() {
    return fetched;
  }

  int length() {
    return length;
  }

  RpcException failure() {
    return failure;
  }

  private int state() {
    return (int) (word & STATE_MASK);
  }

  private boolean move(long callId, int from, int to) {
    return WORD.compareAndSet(this, word(callId, from), word(callId, to));
  }

  private static long word(long callId, int state) {
    return callId << STATE_BITS | state;
  }
}
