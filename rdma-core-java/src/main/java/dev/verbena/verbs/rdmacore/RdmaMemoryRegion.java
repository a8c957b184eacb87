// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.MemoryRegion;
import java.nio.ByteBuffer;

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
  private final long handle;
  private boolean closed;

  RdmaMemoryRegion(
      RdmaProtectionDomain domain, MappedMemory memory, long offset, long length, int access) {
    this.domain = domain;
    this.memory = memory;
    this.offset = offset;
    this.length = length;
    this.address = NativeMemory.address(memory, offset, length);
    ByteBuffer keys = NativeMemory.buffer(2 * Integer.BYTES);
    this.handle =
        Failures.check(
            Native.regionRegister(
                domain.handle(), address, length, access, NativeMemory.address(keys)),
            "registering " + length + " bytes of " + memory + " on " + domain.device().name());
    this.localKey = keys.getInt(LOCAL_KEY);
    this.remoteKey = keys.getInt(REMOTE_KEY);
    domain.device().regions().put(localKey, handle);
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
    Failures.checkUnused(Native.regionDeregister(handle), "deregistering " + this);
    closed = true;
    domain.device().regions().remove(localKey, handle);
    domain.release(this);
  }

  @Override
  public String toString() {
    return "region of " + length + " bytes of " + domain.device().name();
  }
}
