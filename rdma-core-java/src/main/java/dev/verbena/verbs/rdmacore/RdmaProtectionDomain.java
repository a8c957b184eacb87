// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

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
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A protection domain, which knows what was made in it in the order of making. */
final class RdmaProtectionDomain implements ProtectionDomain {
  private final RdmaDevice device;
  private final long handle;
  private final Set<AutoCloseable> members = new LinkedHashSet<>();
  private boolean closed;

  RdmaProtectionDomain(RdmaDevice device) {
    this.device = device;
    this.handle =
        Failures.check(
            Native.domainCreate(device.handle()),
            "creating a protection domain on " + device.name());
  }

  RdmaDevice device() {
    return device;
  }

  long handle() {
    return handle;
  }

  @Override
  public MemoryRegion register(
      MappedMemory memory, long offset, long length, Set<AccessFlag> access) {
    if (access.contains(AccessFlag.FLUSH_PERSISTENT)) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "FLUSH_PERSISTENT needs memory that can be persisted, got " + memory);
    }
    return registerRange(memory, offset, length, access, false);
  }

  @Override
  public MemoryRegion register(
      PersistentRegion memory, long offset, long length, Set<AccessFlag> access) {
    return registerRange(memory.memory(), offset, length, access, true);
  }

  private MemoryRegion registerRange(
      MappedMemory memory, long offset, long length, Set<AccessFlag> access, boolean persistent) {
    if (length < 1 || offset < 0 || offset > memory.size() - length) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "range " + offset + "+" + length + " is not within " + memory);
    }
    int bits = AccessCodes.of(access);
    if (AccessCodes.changesMemory(bits) && (bits & AccessCodes.LOCAL_WRITE) == 0) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE, got " + access);
    }
    synchronized (this) {
      requireOpen();
      return enter(new RdmaMemoryRegion(this, memory, offset, length, bits, persistent));
    }
  }

  @Override
  public synchronized MemoryWindow allocateWindow() {
    requireOpen();
    return enter(new RdmaMemoryWindow(this));
  }

  @Override
  public QueuePair createQueuePair(QueuePairAttributes attributes) {
    device.requireWithinLimits(attributes);
    if (attributes.sharedReceiveQueue() instanceof RdmaSharedReceiveQueue shared
        && shared.domain() != this) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "the shared receive queue belongs to another protection domain");
    }
    synchronized (this) {
      requireOpen();
      return enter(new RdmaQueuePair(this, attributes));
    }
  }

  @Override
  public SharedReceiveQueue createSharedReceiveQueue(SharedReceiveQueueAttributes attributes) {
    device.requireWithinLimits(attributes);
    synchronized (this) {
      requireOpen();
      return enter(new RdmaSharedReceiveQueue(this, attributes));
    }
  }

  private <T extends AutoCloseable> T enter(T member) {
    members.add(member);
    return member;
  }

  synchronized void release(AutoCloseable member) {
    members.remove(member);
  }

  /** A queue pair is about to be destroyed: see {@link RdmaMemoryWindow#endWith}. */
  void endWindowsOf(RdmaQueuePair queuePair) {
    List<AutoCloseable> all;
    synchronized (this) {
      all = List.copyOf(members);
    }
    for (AutoCloseable member : all) {
      if (member instanceof RdmaMemoryWindow window) {
        window.endWith(queuePair);
      }
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new VerbsException(VerbsException.Code.INVALID_STATE, this + " is closed");
    }
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    if (!members.isEmpty()) {
      throw new VerbsException(
          VerbsException.Code.INVALID_STATE,
          this + " still has " + members.size() + " members, " + members.iterator().next());
    }
    Failures.check(Native.domainDestroy(handle), "closing " + this);
    closed = true;
    device.release(this);
  }

  /** Closes all that was made in it: queue pairs first, then what they use. */
  void closeAll() {
    new Teardown()
        .all(those(RdmaQueuePair.class))
        .all(those(RdmaMemoryWindow.class))
        .all(those(AutoCloseable.class))
        .step(this::close)
        .end();
  }

  private List<AutoCloseable> those(Class<? extends AutoCloseable> kind) {
    List<AutoCloseable> those;
    synchronized (this) {
      those = new ArrayList<>(members);
    }
    those.removeIf(member -> !kind.isInstance(member));
    Collections.reverse(those);
    return those;
  }

  @Override
  public String toString() {
    return "protection domain of " + device.name();
  }
}
