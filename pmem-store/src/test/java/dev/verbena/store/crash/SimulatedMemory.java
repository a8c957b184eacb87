// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.crash;

import dev.verbena.memory.MappedMemory;
import dev.verbena.memory.MemoryMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.helpers.NOPLogger;

/**
 * What the instrumented store calls instead of {@code dev.verbena.memory}: does the same, and tells
 * the domain of this thread, if it is in one. Nothing is ever synced in earnest.
 */
public final class SimulatedMemory {
  private static final ThreadLocal<PersistenceDomain> DOMAIN = new ThreadLocal<>();

  /** Who is told of what is persisted of a memory, by whatever thread. */
  private static final Map<MappedMemory, Persisted> WATCHED = new ConcurrentHashMap<>();

  /** Told that a range is to be persisted, before anybody knows that it is. */
  @FunctionalInterface
  public interface Persisted {
    /** The thread that asked for it waits. */
    void range(long offset, long length);
  }

  private SimulatedMemory() {}

  /** Moves this thread to another domain, or out of all (null), and returns the one it was in. */
  public static PersistenceDomain enter(PersistenceDomain domain) {
    PersistenceDomain before = DOMAIN.get();
    DOMAIN.set(domain);
    return before;
  }

  /** From now on {@code told} is told of what is persisted of a memory, outside of domains. */
  public static void watch(MappedMemory memory, Persisted told) {
    WATCHED.put(memory, told);
  }

  /** Ends that. */
  public static void leave(MappedMemory memory) {
    WATCHED.remove(memory);
  }

  /** See {@link MappedMemory#putLong}. */
  public static void putLong(MappedMemory memory, long offset, long value) {
    store(memory, offset, Long.BYTES);
    memory.putLong(offset, value);
  }

  /** See {@link MappedMemory#putInt}. */
  public static void putInt(MappedMemory memory, long offset, int value) {
    store(memory, offset, Integer.BYTES);
    memory.putInt(offset, value);
  }

  /** See {@link MappedMemory#put(long, byte[], int, int)}. */
  public static void put(MappedMemory memory, long offset, byte[] source, int from, int length) {
    store(memory, offset, length);
    memory.put(offset, source, from, length);
  }

  /** See {@link MappedMemory#put(long, ByteBuffer, int, int)}. */
  public static void put(
      MappedMemory memory, long offset, ByteBuffer source, int from, int length) {
    store(memory, offset, length);
    memory.put(offset, source, from, length);
  }

  /** See {@link MappedMemory#copyTo}. */
  public static void copyTo(
      MappedMemory memory, long offset, MappedMemory target, long targetOffset, long length) {
    store(target, targetOffset, length);
    memory.copyTo(offset, target, targetOffset, length);
  }

  /** See {@link MappedMemory#zero}. */
  public static void zero(MappedMemory memory, long offset, long length) {
    store(memory, offset, length);
    memory.zero(offset, length);
  }

  private static void store(MappedMemory memory, long offset, long length) {
    PersistenceDomain domain = DOMAIN.get();
    if (domain != null) {
      domain.store(memory, offset, length);
    }
  }

  /** See {@link MappedMemory#putLongRelease}. */
  public static void putLongRelease(MappedMemory memory, long offset, long value) {
    PersistenceDomain domain = DOMAIN.get();
    if (domain == null) {
      memory.putLongRelease(offset, value);
    } else {
      domain.release(memory, offset, value);
    }
  }

  /** See {@link MappedMemory#force}. */
  public static void force(MappedMemory memory, long offset, long length) {
    PersistenceDomain domain = DOMAIN.get();
    if (domain != null) {
      domain.persist(memory, offset, length);
      return;
    }
    Persisted told = WATCHED.get(memory);
    if (told != null) {
      told.range(offset, length);
    }
  }

  /** See {@link MappedMemory#close}. */
  public static void close(MappedMemory memory) {
    PersistenceDomain domain = DOMAIN.get();
    if (domain != null) {
      domain.closed(memory);
    }
    memory.close();
  }

  /** See {@link MemoryMapper#create}. */
  public static MappedMemory create(Path file, long size) throws IOException {
    MappedMemory memory = MemoryMapper.create(file, size);
    PersistenceDomain domain = DOMAIN.get();
    if (domain != null) {
      domain.made(file, memory);
    }
    return memory;
  }

  /** See {@link MemoryMapper#createSynchronous}; of a plain file, since the domain is simulated. */
  public static MappedMemory createSynchronous(Path file, long size) throws IOException {
    return create(file, size);
  }

  /** See {@link MemoryMapper#openSynchronous}. */
  public static MappedMemory openSynchronous(Path file) throws IOException {
    return open(file);
  }

  /** See {@link MemoryMapper#open}. */
  public static MappedMemory open(Path file) throws IOException {
    MappedMemory memory = MemoryMapper.open(file);
    PersistenceDomain domain = DOMAIN.get();
    if (domain != null) {
      domain.opened(file, memory);
    }
    return memory;
  }

  /** See {@link dev.verbena.memory.FileSync#file}. */
  public static void file(Path path) {
    PersistenceDomain domain = DOMAIN.get();
    if (domain != null) {
      domain.syncFile(path);
    }
  }

  /** See {@link dev.verbena.memory.FileSync#directory}. */
  public static void directory(Path path) {
    PersistenceDomain domain = DOMAIN.get();
    if (domain != null) {
      domain.syncDirectory(path);
    }
  }

  /** The allocator is entered, which orders what stands before and behind it. */
  public static void monitor() {
    PersistenceDomain domain = DOMAIN.get();
    if (domain != null) {
      domain.monitor();
    }
  }

  /** Thousands of recoveries have nothing to say in the log. */
  public static Logger logger(Class<?> of) {
    return NOPLogger.NOP_LOGGER;
  }
}
