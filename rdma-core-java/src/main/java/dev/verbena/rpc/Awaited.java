// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.util.concurrent.locks.LockSupport;

/** Something that one thread waits for and another may make true. */
abstract class Awaited {
  private volatile Thread waiting;

  /** Whether it has come true; once true it stays so until the waiting thread has seen it. */
  abstract boolean isDone();

  /** The calling thread begins to wait. Set before {@link #isDone} is asked for the last time. */
  final void begin() {
    waiting = Thread.currentThread();
  }

  /** It waits no more. */
  final void end() {
    waiting = null;
  }

  final Thread waiting() {
    return waiting;
  }

  /** Lets the waiting thread look again. */
  final void unpark() {
    Thread thread = waiting;
    if (thread != null && thread != Thread.currentThread()) {
      LockSupport.unpark(thread);
    }
  }
}
