// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.memory.MappedMemory;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Registered buffers carved from few large regions, which are made on demand up to a bound.
 * Registering is slow, so that it is done a region and not a buffer at a time. A buffer takes the
 * next power of two of its length. Whoever finds the pool exhausted queues up, first come first
 * served, up to a deadline. Thread-safe.
 */
public final class BufferPool implements AutoCloseable {
  /** Size of the smallest block: 4 KiB. */
  public static final int BLOCK_SIZE = 1 << PoolRegion.BLOCK_SHIFT;

  /** Size of a region, unless a single buffer needs more or the bound is lower: 16 MiB. */
  public static final long REGION_SIZE = 16L << 20;

  private final Device device;
  private final ProtectionDomain domain;
  private final Set<AccessFlag> access;
  private final long bound;
  private final long regionSize;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition moved = lock.newCondition();
  private final List<PoolRegion> regions = new ArrayList<>();
  private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
  private long regionBytes;
  private boolean closed;

  /** Someone who waits for a buffer. Guarded by the pool's lock. */
  static final class Waiter {
    private final long length;
    private final Consumer<RegisteredBuffer> onGrant;
    private RegisteredBuffer granted;

    private Waiter(long length, Consumer<RegisteredBuffer> onGrant) {
      this.length = length;
      this.onGrant = onGrant;
    }
  }

  /**
   * Creates a pool.
   *
   * @param access what its regions may be used for; LOCAL_WRITE to be filled by READs, REMOTE_READ
   *     to be read by peers, both REMOTE_WRITE and LOCAL_WRITE to be written by peers
   * @param bound bytes of all regions together, at least {@link #BLOCK_SIZE}
   */
  public BufferPool(Device device, ProtectionDomain domain, Set<AccessFlag> access, long bound) {
    this(device, domain, access, bound, REGION_SIZE);
  }

  /** A pool with regions of another usual size, a power of two. */
  BufferPool(
      Device device, ProtectionDomain domain, Set<AccessFlag> access, long bound, long regionSize) {
    if (bound < BLOCK_SIZE) {
      throw new IllegalArgumentException(
          "pool bound of " + bound + " bytes, expected at least " + BLOCK_SIZE);
    }
    this.device = device;
    this.domain = domain;
    this.access = access.isEmpty() ? Set.of() : EnumSet.copyOf(access);
    this.bound = bound;
    this.regionSize = regionSize;
  }

  /**
   * Takes a buffer, waiting for one if need be.
   *
   * @throws RpcException TIMED_OUT, CLOSED, INTERRUPTED; MESSAGE_TOO_LARGE if the pool could not
   *     hold it even when empty
   */
  public RegisteredBuffer acquire(long length, Deadline deadline) {
    checkLength(length);
    List<Waiter> served = List.of();
    lock.lock();
    try {
      checkOpen();
      if (waiters.isEmpty()) {
        RegisteredBuffer buffer = take(length);
        if (buffer != null) {
          return buffer;
        }
      }
      Waiter self = new Waiter(length, null);
      waiters.add(self);
      try {
        return await(self, deadline);
      } finally {
        if (self.granted == null && waiters.remove(self) && !closed) {
          served = serve();
        }
      }
    } finally {
      lock.unlock();
      tell(served);
    }
  }

  /**
   * Takes a buffer if one is free now and nobody waits, else returns null.
   *
   * @throws RpcException CLOSED; MESSAGE_TOO_LARGE if the pool could not hold it even when empty
   */
  public RegisteredBuffer tryAcquire(long length) {
    checkLength(length);
    lock.lock();
    try {
      checkOpen();
      return waiters.isEmpty() ? take(length) : null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Asks for a buffer without waiting: {@code onGrant} is called with it, now or by the thread that
   * gives one back.
   *
   * @return null if it was called, else what {@link #cancel} takes
   */
  Waiter acquireLater(long length, Consumer<RegisteredBuffer> onGrant) {
    checkLength(length);
    RegisteredBuffer buffer;
    lock.lock();
    try {
      checkOpen();
      buffer = waiters.isEmpty() ? take(length) : null;
      if (buffer == null) {
        Waiter waiter = new Waiter(length, onGrant);
        waiters.add(waiter);
        return waiter;
      }
    } finally {
      lock.unlock();
    }
    onGrant.accept(buffer);
    return null;
  }

  /** Withdraws; false if the buffer was granted already. */
  boolean cancel(Waiter waiter) {
    List<Waiter> served;
    boolean removed;
    lock.lock();
    try {
      removed = waiters.remove(waiter);
      served = serve();
    } finally {
      lock.unlock();
    }
    tell(served);
    return removed;
  }

  /** Bytes of the regions that exist. */
  public long registeredBytes() {
    lock.lock();
    try {
      return regionBytes;
    } finally {
      lock.unlock();
    }
  }

  /** How many wait for a buffer. */
  int waiting() {
    lock.lock();
    try {
      return waiters.size();
    } finally {
      lock.unlock();
    }
  }

  /** Whether no buffer is on loan. */
  public boolean isIdle() {
    lock.lock();
    try {
      return regions.stream().allMatch(PoolRegion::isIdle);
    } finally {
      lock.unlock();
    }
  }

  void giveBack(PoolRegion region, int block) {
    List<Waiter> served;
    lock.lock();
    try {
      region.giveBack(block);
      if (closed) {
        if (region.isIdle()) {
          drop(region);
        }
        return;
      }
      served = serve();
    } finally {
      lock.unlock();
    }
    tell(served);
  }

  /**
   * Deregisters and frees the regions; one that has a buffer on loan follows when that comes back.
   */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      waiters.clear();
      moved.signalAll();
      for (PoolRegion region : List.copyOf(regions)) {
        if (region.isIdle()) {
          drop(region);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private RegisteredBuffer await(Waiter self, Deadline deadline) {
    try {
      while (self.granted == null) {
        checkOpen();
        long left = deadline.remainingNanos();
        if (left <= 0) {
          throw new RpcException(
              RpcException.Code.TIMED_OUT,
              false,
              "no registered buffer of " + self.length + " bytes came free: " + this,
              null);
        }
        moved.await(left, TimeUnit.NANOSECONDS);
      }
      return self.granted;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      if (self.granted != null) {
        return self.granted;
      }
      throw new RpcException(
          RpcException.Code.INTERRUPTED, false, "interrupted while waiting for a buffer", e);
    }
  }

  /** Serves waiters from the front; returns those to be told outside the lock. */
  private List<Waiter> serve() {
    List<Waiter> toTell = List.of();
    for (Waiter first = waiters.peek(); first != null; first = waiters.peek()) {
      RegisteredBuffer buffer = take(first.length);
      if (buffer == null) {
        break;
      }
      waiters.poll();
      first.granted = buffer;
      if (first.onGrant == null) {
        moved.signalAll();
      } else {
        toTell = toTell.isEmpty() ? new ArrayList<>() : toTell;
        toTell.add(first);
      }
    }
    return toTell;
  }

  private static void tell(List<Waiter> served) {
    for (Waiter waiter : served) {
      waiter.onGrant.accept(waiter.granted);
    }
  }

  private RegisteredBuffer take(long length) {
    for (int i = 0; i < regions.size(); i++) {
      RegisteredBuffer buffer = takeFrom(regions.get(i), length);
      if (buffer != null) {
        return buffer;
      }
    }
    long needed = Math.max(Math.min(regionSize, floorPowerOfTwo(bound)), roundUp(length));
    if (regionBytes + needed > bound) {
      // Small idle regions make room for one that a large buffer needs.
      for (int i = regions.size() - 1; i >= 0 && regionBytes + needed > bound; i--) {
        if (regions.get(i).isIdle()) {
          drop(regions.get(i));
        }
      }
    }
    if (regionBytes + needed > bound) {
      needed = roundUp(length);
    }
    return regionBytes + needed > bound ? null : takeFrom(addRegion(needed), length);
  }

  private RegisteredBuffer takeFrom(PoolRegion region, long length) {
    int block = region.take(length);
    return block < 0 ? null : new RegisteredBuffer(this, region, block, length);
  }

  private PoolRegion addRegion(long bytes) {
    MappedMemory memory = device.allocate(bytes);
    MemoryRegion registration;
    try {
      registration = domain.register(memory, 0, bytes, access);
    } catch (RuntimeException e) {
      memory.close();
      throw e;
    }
    PoolRegion region = new PoolRegion(memory, registration);
    regions.add(region);
    regionBytes += bytes;
    return region;
  }

  private void drop(PoolRegion region) {
    regions.remove(region);
    regionBytes -= region.size();
    region.close();
  }

  private void checkOpen() {
    if (closed) {
      throw new RpcException(RpcException.Code.CLOSED, false, "buffer pool is closed", null);
    }
  }

  private void checkLength(long length) {
    if (length < 0 || roundUp(length) > bound) {
      throw new RpcException(
          RpcException.Code.MESSAGE_TOO_LARGE,
          false,
          "a buffer of " + length + " bytes can't come from a pool of at most " + bound,
          null);
    }
  }

  /** Bytes that a buffer of that length takes. */
  static long roundUp(long length) {
    return length <= BLOCK_SIZE ? BLOCK_SIZE : Long.highestOneBit(length - 1) << 1;
  }

  private static long floorPowerOfTwo(long bytes) {
    return Long.highestOneBit(bytes);
  }

  @Override
  public String toString() {
    return "BufferPool[bound " + bound + " B]";
  }
}
