// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.memory.PersistentRegion;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.MemoryWindow;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.SharedReceiveQueue;
import dev.verbena.verbs.SharedReceiveQueueAttributes;
import dev.verbena.verbs.VerbsException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A protection domain: a number that regions and queue pairs carry, and the list of both. */
final class SoftProtectionDomain implements ProtectionDomain {
  private static final List<Class<? extends AutoCloseable>> CLOSING_ORDER =
      List.of(
          SoftQueuePair.class,
          SoftSharedReceiveQueue.class,
          SoftMemoryWindow.class,
          SoftMemoryRegion.class);

  private final SoftDevice device;
  private final int number;
  private final Set<AutoCloseable> members = new HashSet<>();
  private final Set<SoftMemoryWindow> windows = new HashSet<>();
  private boolean closed;

  SoftProtectionDomain(SoftDevice device, int number) {
    this.device = device;
    this.number = number;
  }

  SoftDevice device() {
    return device;
  }

  int number() {
    return number;
  }

  @Override
  public MemoryRegion register(
      MappedMemory memory, long offset, long length, Set<AccessFlag> access) {
    return register(memory, null, offset, length, access);
  }

  @Override
  public MemoryRegion register(
      PersistentRegion memory, long offset, long length, Set<AccessFlag> access) {
    return register(memory.memory(), memory, offset, length, access);
  }

  private synchronized MemoryRegion register(
      MappedMemory memory,
      PersistentRegion persistent,
      long offset,
      long length,
      Set<AccessFlag> access) {
    requireOpen();
    if (length < 1 || offset < 0 || offset > memory.size() - length) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "range " + offset + "+" + length + " is not within " + memory);
    }
    int flags = flags(access);
    if ((flags & KeyTable.FLUSH_PERSISTENT) != 0 && persistent == null) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "FLUSH_PERSISTENT needs memory that can be persisted, got " + memory);
    }
    boolean needsAlignment = (flags & (KeyTable.REMOTE_WRITE | KeyTable.REMOTE_ATOMIC)) != 0;
    if (needsAlignment && !memory.isWordAligned()) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "what peers may write must begin at a multiple of 8, not so " + memory);
    }
    int segment = device.segments().acquire(memory);
    int key;
    try {
      key =
          device
              .keys()
              .insert(
                  number,
                  flags,
                  Iova.of(segment, offset),
                  length,
                  SoftMemoryRegion.keyFlags(persistent));
    } catch (RuntimeException e) {
      device.releaseSegment(segment);
      throw e;
    }
    SoftMemoryRegion region =
        new SoftMemoryRegion(this, memory, offset, length, segment, key, flags, persistent);
    device.regions().enter(region);
    members.add(region);
    return region;
  }

  private static int flags(Set<AccessFlag> access) {
    int flags = AccessBits.of(access);
    if (AccessBits.changesMemory(flags) && (flags & KeyTable.LOCAL_WRITE) == 0) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE, got " + access);
    }
    return flags;
  }

  @Override
  public synchronized MemoryWindow allocateWindow() {
    requireOpen();
    SoftMemoryWindow window = new SoftMemoryWindow(this, device.keys().insertWindow());
    device.regions().enter(window);
    members.add(window);
    windows.add(window);
    return window;
  }

  synchronized void release(SoftMemoryWindow window) {
    members.remove(window);
    windows.remove(window);
  }

  /** The windows of this domain, which may be bound to a region that closes. */
  synchronized List<SoftMemoryWindow> windows() {
    return List.copyOf(windows);
  }

  @Override
  public synchronized QueuePair createQueuePair(QueuePairAttributes attributes) {
    requireOpen();
    SoftQueuePair queuePair = device.newQueuePair(this, attributes);
    members.add(queuePair);
    return queuePair;
  }

  @Override
  public synchronized SharedReceiveQueue createSharedReceiveQueue(
      SharedReceiveQueueAttributes attributes) {
    requireOpen();
    SoftSharedReceiveQueue queue = device.newSharedReceiveQueue(this, attributes);
    members.add(queue);
    return queue;
  }

  synchronized void release(SoftSharedReceiveQueue queue) {
    members.remove(queue);
    device.release(queue);
  }

  synchronized void release(SoftMemoryRegion region) {
    members.remove(region);
  }

  synchronized void release(SoftQueuePair queuePair) {
    members.remove(queuePair);
    device.release(queuePair);
  }

  /**
   * The device closes, and with it all that is still open here, queue pairs first.
   *
   * @return null, or why memory must not be reused yet
   */
  VerbsException closeAll() {
    List<AutoCloseable> open;
    synchronized (this) {
      open = List.copyOf(members);
    }
    VerbsException failure = null;
    for (Class<? extends AutoCloseable> type : CLOSING_ORDER) {
      for (AutoCloseable member : open) {
        if (type.isInstance(member)) {
          VerbsException now = closeOne(member);
          failure = failure == null ? now : failure;
        }
      }
    }
    close();
    return failure;
  }

  private static VerbsException closeOne(AutoCloseable member) {
    try {
      member.close();
      return null;
    } catch (VerbsException e) {
      return e;
    } catch (Exception e) {
      throw new IllegalStateException("can't close " + member, e);
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new VerbsException(
          VerbsException.Code.INVALID_STATE, "protection domain " + number + " is closed");
    }
  }

  @Override
  public synchronized void close() {
    if (!members.isEmpty()) {
      throw new VerbsException(
          VerbsException.Code.INVALID_STATE,
          "protection domain " + number + " is used by " + members.size() + " objects");
    }
    closed = true;
    device.release(this);
  }
}
