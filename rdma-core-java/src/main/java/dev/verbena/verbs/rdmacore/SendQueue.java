// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.WorkCompletion;

/**
 * The send queue of a queue pair. Requests have a number each, under which they complete in order:
 * a completion frees the places of all before it, of which those that were not signaled tell
 * nothing themselves. One thread posts at a time, another polls.
 *
 * <p>A request that {@link LocalRules} refuse must fail when all before it are done, and nothing
 * behind it may begin. So the device gets a WRITE of no bytes in its place and in that of each
 * behind it, which completes in order and changes nothing.
 */
final class SendQueue implements WorkQueue {
  /** Places that the device has besides: for the request that tells that all others are done. */
  static final int EXTRA = 1;

  private static final int MAX_BATCH = 64;
  private static final SendRequest LAST = new SendRequest(1).send(0).signaled();
  private static final SendRequest NOTHING = new SendRequest(1).write(0, 0, 0).signaled();

  private final RdmaQueuePair queuePair;
  private final RequestRules rules;

  /** Null where the device itself tells what was wrong. */
  private final LocalRules localRules;

  private final int depth;
  private final int batch;
  private final int mask;
  private final int number;
  private final SendEncoder encoder;
  private final long[] requestIds;
  private final SendRequest.Operation[] operations;
  private final boolean[] signaled;

  /** Of binds and invalidates, for the local rules. */
  private final int[] windowKeys;

  private volatile long posted;

  /** Requests before this one are done. Written by the poller. */
  private volatile long freed;

  private volatile long last = -1;

  /** The first request that was refused here, and how it ends. Written by the poster. */
  private volatile long refused = Long.MAX_VALUE;

  private CompletionStatus refusal;

  /** Poller: whether a request failed already. */
  private boolean failed;

  SendQueue(RdmaQueuePair queuePair, RdmaProtectionDomain domain, QueuePairAttributes attributes) {
    RdmaDevice device = domain.device();
    this.queuePair = queuePair;
    this.rules = new RequestRules(attributes, device);
    this.localRules = device.isSoftRoce() ? new LocalRules(domain) : null;
    this.depth = attributes.maxSendRequests();
    this.batch = Math.min(depth, MAX_BATCH);
    int slots = Integer.highestOneBit(depth + EXTRA) * 2;
    this.mask = slots - 1;
    this.requestIds = new long[slots];
    this.operations = new SendRequest.Operation[slots];
    this.signaled = new boolean[slots];
    this.windowKeys = new int[localRules == null ? 0 : slots];
    int longest =
        Math.max(
            SendLayout.sizeBuffers(attributes.maxBuffers()),
            SendLayout.sizeInline(attributes.maxInline()));
    this.encoder = new SendEncoder(device, batch * longest);
    this.number = device.workQueues().enter(this);
  }

  int number() {
    return number;
  }

  /** Poster: checks a request against the limits. */
  void check(SendRequest request) {
    rules.check(request);
  }

  /** Poster: posts checked requests as long as there are places; how many. */
  int post(SendRequest[] requests, int count) {
    int accepted = 0;
    while (accepted < count) {
      int now = Math.min(Math.min(count - accepted, batch), depth - (int) (posted - freed));
      if (now == 0) {
        break;
      }
      encoder.clear();
      for (int i = 0; i < now; i++) {
        add(posted + i, requests[accepted + i]);
      }
      int taken = ring(now);
      accepted += taken;
      if (taken < now) {
        break;
      }
    }
    return accepted;
  }

  /** Poster: posts one checked request; false if the queue is full. */
  boolean post(SendRequest request) {
    if (posted - freed >= depth) {
      return false;
    }
    encoder.clear();
    add(posted, request);
    return ring(1) == 1;
  }

  private void add(long request, SendRequest from) {
    int slot = (int) request & mask;
    requestIds[slot] = from.requestId();
    operations[slot] = from.operation();
    signaled[slot] = from.isSignaled();
    encoder.add(CompletionId.of(number, request), localRules == null ? from : admit(request, from));
  }

  /** What the device is given for a request. */
  private SendRequest admit(long request, SendRequest from) {
    if (refused == Long.MAX_VALUE && !queuePair.isBroken()) {
      CompletionStatus found = localRules.refusal(from, queuePair);
      if (found != null) {
        refusal = found;
        refused = request;
      }
    }
    if (refused <= request) {
      return NOTHING;
    }
    windowKeys[(int) request & mask] = from.windowKey();
    localRules.posted(from, queuePair);
    return from;
  }

  private int ring(int count) {
    int taken = Native.postSend(queuePair.handle(), encoder.address(), count);
    if (taken < count && localRules != null) {
      withdraw(Math.max(taken, 0), count);
    }
    if (taken == -Failures.ENOMEM || taken == -Failures.ENOSPC) {
      return 0;
    }
    if (taken < 0) {
      throw Failures.of(taken, "posting to " + queuePair);
    }
    long next = posted + taken;
    posted = next;
    return taken;
  }

  /** Forgets what was noted of requests that the device did not take. */
  private void withdraw(int taken, int count) {
    for (int i = taken; i < count; i++) {
      long request = posted + i;
      int slot = (int) request & mask;
      if (request < refused) {
        localRules.failed(operations[slot], windowKeys[slot]);
      }
    }
    if (refused >= posted + taken) {
      refused = Long.MAX_VALUE;
    }
  }

  /**
   * Poster, once the queue pair is in ERROR: posts the request whose completion tells that all
   * before it are done.
   */
  void finish() {
    if (last < 0 && posted > freed) {
      last = posted;
      encoder.clear();
      add(posted, LAST);
      ring(1);
    }
  }

  /** Whether all requests are done; meant for after {@link #finish}. */
  boolean isFinished() {
    return posted == freed;
  }

  @Override
  public boolean complete(int request, CompletionBatch from, int index, WorkCompletion into) {
    long done = CompletionId.extend(request, freed);
    int slot = (int) done & mask;
    CompletionStatus status = status(done, operations[slot], from.status(index));
    boolean isTold = done != last && (status != CompletionStatus.SUCCESS || signaled[slot]);
    if (isTold) {
      from.fillSend(index, requestIds[slot], status, operations[slot].opcode(), into);
    }
    freed = done + 1;
    if (status != CompletionStatus.SUCCESS) {
      if (localRules != null && done < refused) {
        localRules.failed(operations[slot], windowKeys[slot]);
      }
      failed = true;
      queuePair.failed(status);
    }
    return isTold;
  }

  private CompletionStatus status(long done, SendRequest.Operation of, CompletionStatus told) {
    if (done >= refused && told != CompletionStatus.WORK_REQUEST_FLUSHED) {
      return done == refused ? refusal : CompletionStatus.WORK_REQUEST_FLUSHED;
    }
    if (told == CompletionStatus.SUCCESS) {
      return told;
    }
    // A bind fails in one way, also where the encoder gave the device something else.
    boolean isOwn = told != CompletionStatus.WORK_REQUEST_FLUSHED || isUntold();
    if (isOwn && of == SendRequest.Operation.BIND_WINDOW) {
      return CompletionStatus.MEMORY_WINDOW_BIND_ERROR;
    }
    return isOwn && of == SendRequest.Operation.LOCAL_INVALIDATE
        ? CompletionStatus.LOCAL_QP_OPERATION_ERROR
        : told;
  }

  /**
   * Whether a flushed request that concerns this end alone must be what broke the queue pair: it is
   * the first that failed, nobody ended the connection, and this device does not tell.
   */
  private boolean isUntold() {
    return localRules != null && !failed && queuePair.isAsItsDeviceLeftIt();
  }
}
