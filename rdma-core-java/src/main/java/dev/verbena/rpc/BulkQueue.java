// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.RemoteMapping;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.TrafficClass;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.WorkCompletion;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The bulk queue pair of one end of a connection, and the batches on it. */
final class BulkQueue implements BulkChannel, PolledQueue.Handler, Timed {
  private static final Logger LOG = LoggerFactory.getLogger(BulkQueue.class);
  private static final int DEPTH = 128;
  private static final int SIGNAL_INTERVAL = DEPTH / 4;
  private static final int POST_AT_ONCE = 32;
  private static final int NOTHING_TO_DO = 0;
  private static final Duration FLUSH_PATIENCE = Duration.ofSeconds(10);

  private final Reactor reactor;
  private final Consumer<RpcException> onBroken;
  private final QueuePair queuePair;
  private final PolledQueue completions;
  private final int longestPiece;
  private final WordPublisher publisher;
  private final SendRequest[] requests = new SendRequest[POST_AT_ONCE];
  private final Object lock = new Object();

  /** Not or not fully posted. */
  private final ArrayDeque<BulkOperation> pending = new ArrayDeque<>();

  /** Fully posted, in order. */
  private final ArrayDeque<BulkOperation> inFlight = new ArrayDeque<>();

  /** For the thread that has claimed the completion queue. */
  private final ArrayDeque<BulkOperation> finished = new ArrayDeque<>();

  private long posted;
  private long reclaimed;
  private int sinceSignal;
  private RpcException broken;
  private BulkOperation culprit;
  private boolean flushed;

  /**
   * Creates the queue pair, not connected.
   *
   * @param onBroken told once that the queue pair failed; the connection has to end
   */
  BulkQueue(
      Device device, ProtectionDomain domain, Reactor reactor, Consumer<RpcException> onBroken) {
    this.reactor = reactor;
    this.onBroken = onBroken;
    this.longestPiece = (int) Math.min(device.attributes().maxMessage(), 1 << 30);
    this.publisher = WordPublisher.of(device, POST_AT_ONCE);
    for (int i = 0; i < requests.length; i++) {
      requests[i] = new SendRequest(1);
    }
    CompletionQueue queue = device.createCompletionQueue(DEPTH + 1, reactor.channel());
    try {
      queuePair =
          domain.createQueuePair(
              QueuePairAttributes.of(queue, queue)
                  .withDepths(DEPTH, 1)
                  .withMaxBuffers(1)
                  .withMaxInline(publisher.inlineBytes())
                  .withTrafficClass(TrafficClass.BULK));
    } catch (RuntimeException e) {
      queue.close();
      throw e;
    }
    completions = new PolledQueue(queue, this);
  }

  QueuePair queuePair() {
    return queuePair;
  }

  /** The queue pair is connected: begins to poll. */
  void start() {
    reactor.add(completions);
  }

  boolean isHandledByMe() {
    return completions.isClaimedByMe();
  }

  @Override
  public String carrier() {
    return queuePair.carrier().orElse("");
  }

  @Override
  public void submit(BulkBatch batch, Deadline deadline, BulkCallback callback) {
    int use = begin(batch, deadline, callback);
    if (use == NOTHING_TO_DO) {
      return;
    }
    completions.poll();
    synchronized (lock) {
      if (batch.operation().isOpen(use)) {
        batch.operation().markUnattended();
        reactor.beginUnattended();
      }
    }
  }

  @Override
  public void transfer(BulkBatch batch, Deadline deadline) {
    BatchWait wait = batch.batchWait().prepare(reactor);
    if (begin(batch, deadline, wait) != NOTHING_TO_DO) {
      awaitFlushed(wait, deadline);
    }
    if (!wait.isDone()) {
      throw timedOut();
    }
    if (wait.failure() != null) {
      throw wait.failure();
    }
  }

  /** Waits even if interrupted: local memory is in use until the batch is done. */
  private void awaitFlushed(BatchWait wait, Deadline deadline) {
    boolean interrupted = false;
    Deadline until = deadline;
    Deadline last = new Deadline(deadline.nanoTime() + FLUSH_PATIENCE.toNanos());
    while (!wait.isDone() && !last.hasPassed()) {
      try {
        reactor.await(wait, completions, until);
        if (!wait.isDone()) {
          // The timer breaks the connection now, which ends the batch.
          until = last;
          reactor.timerAt(System.nanoTime());
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public Optional<RemoteMapping> mapRemote(long remoteAddress, long length, int remoteKey) {
    try {
      return queuePair.mapRemote(remoteAddress, length, remoteKey);
    } catch (VerbsException e) {
      throw RpcFailures.of(e, toString());
    }
  }

  @Override
  public void completed(WorkCompletion completion) {
    if (!completion.isSuccess()) {
      failed(completion);
      return;
    }
    synchronized (lock) {
      reclaimed = completion.requestId() + 1;
      while (!inFlight.isEmpty() && inFlight.peek().lastSequence() < reclaimed) {
        BulkOperation done = inFlight.poll();
        done.close();
        finished.add(done);
      }
    }
  }

  @Override
  public void drained(boolean empty) {
    synchronized (lock) {
      if (broken == null) {
        pump();
      } else if (!flushed || empty) {
        RpcException cause = broken;
        reactor.execute(() -> onBroken.accept(cause));
      }
    }
    for (BulkOperation done = finished.poll(); done != null; done = finished.poll()) {
      finish(done, null);
    }
  }

  @Override
  public void broken(Throwable cause) {
    onBroken.accept(
        new RpcException(RpcException.Code.DISCONNECTED, true, this + " failed", cause));
  }

  @Override
  public long expire(long now) {
    long next = NEVER;
    boolean late = false;
    synchronized (lock) {
      for (ArrayDeque<BulkOperation> queue : List.of(inFlight, pending)) {
        for (BulkOperation operation : queue) {
          long left = operation.deadline().nanoTime() - now;
          next = Math.min(next, Math.max(0, left));
          if (left <= 0 && broken == null) {
            broken = timedOut();
            culprit = operation;
            late = true;
          }
        }
      }
    }
    if (late) {
      onBroken.accept(broken);
    }
    return late ? NEVER : next;
  }

  /**
   * Frees the queue pair and ends what is open. On the reactor's thread, once.
   *
   * @param cause why the connection ended
   */
  void terminate(RpcException cause, Deadline deadline) {
    List<BulkOperation> open = new ArrayList<>();
    boolean retired = completions.retire(deadline);
    reactor.remove(completions);
    queuePair.close();
    if (retired) {
      completions.queue().close();
    }
    synchronized (lock) {
      broken = broken == null ? cause : broken;
      open.addAll(inFlight);
      open.addAll(pending);
      inFlight.clear();
      pending.clear();
      open.forEach(BulkOperation::close);
    }
    for (BulkOperation operation : open) {
      finish(operation, operation == culprit ? broken : RpcFailures.broken(cause, true));
    }
  }

  /** Queues the batch and posts what fits; {@link #NOTHING_TO_DO} if that is nothing at all. */
  private int begin(BulkBatch batch, Deadline deadline, BulkCallback callback) {
    int use;
    synchronized (lock) {
      if (broken != null) {
        batch.done();
        throw RpcFailures.broken(broken, false);
      }
      batch.submitted();
      if (batch.isEmpty()) {
        use = NOTHING_TO_DO;
      } else {
        use = batch.operation().begin(deadline, callback);
        pending.add(batch.operation());
        pump();
      }
    }
    if (use == NOTHING_TO_DO) {
      batch.done();
      callback.completed(batch, null);
    } else {
      reactor.timerAt(deadline.nanoTime());
    }
    return use;
  }

  /** Posts pieces while there are some and the send queue has room. */
  private void pump() {
    while (!pending.isEmpty()) {
      int room = (int) Math.min(requests.length, DEPTH - (posted - reclaimed));
      int count = 0;
      while (count < room && !pending.isEmpty()) {
        BulkOperation operation = pending.peek();
        boolean last =
            operation.nextPiece(requests[count], count, posted + count, longestPiece, publisher);
        if (last || ++sinceSignal >= SIGNAL_INTERVAL) {
          requests[count].signaled();
          sinceSignal = 0;
        }
        if (last) {
          inFlight.add(pending.poll());
        }
        count++;
      }
      if (count == 0) {
        return;
      }
      post(count);
    }
  }

  private void post(int count) {
    posted += count;
    try {
      int accepted = queuePair.postSend(requests, count);
      if (accepted < count) {
        breakLater(
            new RpcException(
                RpcException.Code.DISCONNECTED,
                true,
                this + " took " + accepted + " of " + count + " requests within its depth",
                null));
      }
    } catch (VerbsException e) {
      breakLater(RpcFailures.of(e, toString()));
    }
  }

  private void breakLater(RpcException cause) {
    broken = cause;
    pending.forEach(inFlight::add);
    pending.clear();
    reactor.execute(() -> onBroken.accept(cause));
  }

  private void failed(WorkCompletion completion) {
    boolean isFlush = completion.status() == CompletionStatus.WORK_REQUEST_FLUSHED;
    synchronized (lock) {
      if (broken != null && (isFlush || !flushed)) {
        return;
      }
      flushed = isFlush;
      broken = isFlush ? RpcFailures.peerGone(toString()) : RpcFailures.of(completion, toString());
      if (!isFlush) {
        culprit = ownerOf(completion.requestId());
      }
    }
  }

  private BulkOperation ownerOf(long sequence) {
    for (BulkOperation operation : inFlight) {
      if (operation.lastSequence() >= sequence) {
        return operation;
      }
    }
    return pending.peek();
  }

  private void finish(BulkOperation operation, RpcException failure) {
    if (operation.isUnattended()) {
      reactor.endUnattended();
    }
    try {
      operation.finish(failure);
    } catch (RuntimeException e) {
      LOG.error("the callback of a bulk batch threw, on {}", this, e);
    }
  }

  private RpcException timedOut() {
    return new RpcException(
        RpcException.Code.TIMED_OUT, true, this + ": a batch missed its deadline", null);
  }

  @Override
  public String toString() {
    return "bulk queue pair " + queuePair.number();
  }
}
