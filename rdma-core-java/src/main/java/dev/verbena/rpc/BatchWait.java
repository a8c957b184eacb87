// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

/** Waits for a batch; belongs to it and is used again with it. */
final class BatchWait extends Awaited implements BulkCallback {
  private Reactor reactor;
  private RpcException failure;
  private volatile boolean done;

  BatchWait prepare(Reactor of) {
    reactor = of;
    failure = null;
    done = false;
    return this;
  }

  @Override
  public void completed(BulkBatch batch, RpcException how) {
    failure = how;
    Reactor of = reactor;
    done = true;
    of.wake(this);
  }

  @Override
  boolean isDone() {
    return done;
  }

  /** Why the batch failed; null if it did not. Valid once done. */
  RpcException failure() {
    return failure;
  }
}
