// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.rpc.BufferPool;
import dev.verbena.rpc.BulkBatch;
import dev.verbena.rpc.BulkChannel;
import dev.verbena.rpc.RegisteredBuffer;
import dev.verbena.rpc.RpcException;
import dev.verbena.store.pool.RecordLayout;
import dev.verbena.time.Deadline;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Two registered buffers: one is filled while the other is on its way. Behind the payload each has
 * a place for a record's header, and scratch. One thread.
 */
final class Staging implements AutoCloseable {
  /** Bytes of payload in one buffer. */
  static final int STEP_BYTES = 256 << 10;

  /** Where the header lies. */
  static final int HEADER_AT = STEP_BYTES;

  /** Where 8 bytes lie that anything may be put in. */
  static final int SCRATCH_AT = HEADER_AT + RecordLayout.HEADER_BYTES;

  /** Payload, header, flush, word, flush. */
  private static final int STEPS = 5;

  private static final int BYTES = SCRATCH_AT + Long.BYTES;

  private final RegisteredBuffer[] buffers = new RegisteredBuffer[2];
  private final BulkBatch[] batches = {new BulkBatch(STEPS), new BulkBatch(STEPS)};
  private final CompletableFuture<?>[] sent = new CompletableFuture<?>[2];
  private int current;
  private int filled;

  Staging(BufferPool pool, Deadline deadline) {
    buffers[0] = pool.acquire(BYTES, deadline);
    boolean done = false;
    try {
      buffers[1] = pool.acquire(BYTES, deadline);
      done = true;
    } finally {
      if (!done) {
        buffers[0].close();
      }
    }
  }

  int room() {
    return STEP_BYTES - filled;
  }

  int filled() {
    return filled;
  }

  RegisteredBuffer buffer() {
    return buffers[current];
  }

  void put(byte[] source, int offset, int length) {
    RegisteredBuffer buffer = buffers[current];
    buffer.memory().put(buffer.offset() + filled, source, offset, length);
    filled += length;
  }

  void putHeader(byte[] header) {
    RegisteredBuffer buffer = buffers[current];
    buffer.memory().put(buffer.offset() + HEADER_AT, header, 0, header.length);
  }

  /** An empty batch for what is in the buffer. */
  BulkBatch batch() {
    return batches[current].clear();
  }

  /** Submits the batch of the buffer and goes on with the other one, once that came back. */
  void send(BulkChannel to, Deadline deadline) {
    sent[current] = to.transferAsync(batches[current], deadline);
    current = 1 - current;
    filled = 0;
    await(current, deadline);
  }

  /** Transfers the batch of the buffer, and waits for the other one too. */
  void transfer(BulkChannel to, Deadline deadline) {
    await(1 - current, deadline);
    to.transfer(batches[current], deadline);
    filled = 0;
  }

  /** Waits until nothing is on its way. */
  void quiet(Deadline deadline) {
    await(1 - current, deadline);
  }

  private void await(int which, Deadline deadline) {
    CompletableFuture<?> under = sent[which];
    if (under == null) {
      return;
    }
    try {
      under.get(deadline.remainingMillis() + 1, TimeUnit.MILLISECONDS);
      sent[which] = null;
    } catch (ExecutionException e) {
      sent[which] = null;
      if (e.getCause() instanceof RpcException known) {
        throw known;
      }
      throw new RpcException(RpcException.Code.DISCONNECTED, true, "a WRITE failed", e);
    } catch (TimeoutException e) {
      throw new RpcException(RpcException.Code.TIMED_OUT, true, "a WRITE is late", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RpcException(
          RpcException.Code.INTERRUPTED, true, "interrupted while waiting for a WRITE", e);
    }
  }

  /** Gives the buffers back; those on their way are kept by their batches until they are there. */
  @Override
  public void close() {
    for (RegisteredBuffer buffer : buffers) {
      buffer.close();
    }
  }
}
