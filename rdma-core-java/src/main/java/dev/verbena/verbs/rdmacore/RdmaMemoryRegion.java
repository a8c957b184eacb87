// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** A registered range. Its address is the one it has in this process. */
final class RdmaMemoryRegion implements MemoryRegion {
  private static final int LOCAL_KEY = 0;
  private static final int REMOTE_KEY = Integer.BYTES;

  private final RdmaProtectionDomain domain;

  /** Keeps the memory of a buffer that someone else allocated. */
  private final MappedMemory memory;

  private final long offset;
  private final long length;
  private final long address;
  private final int localKey;
  private final int remoteKey;
  private final int access;
  private final boolean persistent;
  private final long handle;
  private final AtomicInteger endedWindows = new AtomicInteger();
  private boolean closed;

  RdmaMemoryRegion(
      RdmaProtectionDomain domain,
      MappedMemory memory,
      long offset,
      long length,
      int access,
      boolean persistent) {
    this.domain = domain;
    this.memory = memory;
    this.offset = offset;
    this.length = length;
    this.access = access;
    this.persistent = persistent;
    this.address = NativeMemory.address(memory, offset, length);
    ByteBuffer keys = NativeMemory.buffer(2 * Integer.BYTES);
    this.handle =
        Failures.check(
            Native.regionRegister(
                domain.handle(), address, length, access, NativeMemory.address(keys)),
            "registering " + length + " bytes of " + memory + " on " + domain.device().name());
    this.localKey = keys.getInt(LOCAL_KEY);
    this.remoteKey = keys.getInt(REMOTE_KEY);
    domain.device().regions().put(localKey, this);
  }

  RdmaProtectionDomain domain() {
    return domain;
  }

  long handle() {
    return handle;
  }

  /** Whether it was registered as memory that can be persisted. */
  boolean isPersistent() {
    return persistent;
  }

  /** Counts windows of it that the device has lost and their owner has not closed. */
  void addEndedWindow(int count) {
    endedWindows.addAndGet(count);
  }

  boolean allows(int bits) {
    return (access & bits) == bits;
  }

  /** Whether that range of at least one byte is within it. */
  boolean holds(long from, long bytes) {
    long start = from - address;
    return bytes > 0 && bytes <= length && start >= 0 && start <= length - bytes;
  }

  @Override
  public MappedMemory memory() {
    return memory;
  }

  @Override
  public long offset() {
    return offset;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public long address() {
    return address;
  }

  @Override
  public int localKey() {
    return localKey;
  }

  @Override
  public int remoteKey() {
    return remoteKey;
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    if (endedWindows.get() > 0) {
      throw new VerbsException(
          VerbsException.Code.INVALID_STATE, this + " has windows that are not closed");
    }
    Failures.checkUnused(Native.regionDeregister(handle), "deregistering " + this);
    closed = true;
    domain.device().regions().remove(localKey, this);
    domain.release(this);
  }

  @Override
  public String toString() {
    return "region of " + length + " bytes of " + domain.device().name();
  }
}
