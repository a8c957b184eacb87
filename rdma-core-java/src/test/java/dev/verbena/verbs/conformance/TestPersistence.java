// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.memory.DurabilityMethod;
import dev.verbena.memory.MappedMemory;
import dev.verbena.memory.PersistentRegion;
import dev.verbena.testing.Await;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Memory whose persistence is a record of what was persisted, and can be held up or fail. */
final class TestPersistence implements PersistentRegion {
  /**
   * One call.
   *
   * @param qword what the first qword of the memory was then
   */
  record Persisted(long offset, long length, long qword) {}

  private final MappedMemory memory;
  private final DurabilityMethod method;
  private final List<Persisted> calls = new CopyOnWriteArrayList<>();
  private volatile CountDownLatch gate = new CountDownLatch(0);
  private volatile int entered;
  private volatile boolean failing;

  TestPersistence(MappedMemory memory, DurabilityMethod method) {
    this.memory = memory;
    this.method = method;
  }

  /** From now on calls wait until {@link #letGo}. */
  void holdUp() {
    gate = new CountDownLatch(1);
  }

  void letGo() {
    gate.countDown();
  }

  void fail() {
    failing = true;
  }

  /** Waits until a call is held up. */
  void awaitEntered(int count) {
    Await.until("call number " + count + " of persist", () -> entered >= count);
  }

  List<Persisted> calls() {
    return calls;
  }

  @Override
  public void persist(long offset, long length) {
    calls.add(new Persisted(offset, length, memory.getLongVolatile(0)));
    entered = calls.size();
    try {
      if (!gate.await(Await.PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new AssertionError("nobody let the persisting thread go");
      }
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while persisting", e);
    }
    if (failing) {
      throw new IllegalStateException("this memory was told to fail");
    }
  }

  @Override
  public MappedMemory memory() {
    return memory;
  }

  @Override
  public DurabilityDomain domain() {
    return method == DurabilityMethod.NONE ? DurabilityDomain.PROCESS : DurabilityDomain.POWER;
  }

  @Override
  public DurabilityMethod method() {
    return method;
  }
}
