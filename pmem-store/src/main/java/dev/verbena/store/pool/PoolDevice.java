// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import dev.verbena.memory.DaxDevice;
import dev.verbena.memory.MappedMemory;
import dev.verbena.store.StoreException;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;

/**
 * Makes, checks and maps the pool on a DAX device, from its first byte on. A device can't be read
 * without being mapped, has no length to be given and no name to be unlinked; nothing else can lie
 * beside it, so the lock is the device's own. What is on it is overwritten only if that is zeros,
 * or the beginning of a pool whose making was cut short.
 */
final class PoolDevice implements PoolPlace {
  /** What a pool asks of a device. */
  interface Space {
    /** Bytes of it. */
    long size();

    /** Bytes that a mapping's length is a multiple of. */
    long alignment();

    /** Maps its first bytes. */
    MappedMemory map(long bytes) throws IOException;

    /** Lets others have it. */
    void close();
  }

  private record Dax(DaxDevice device) implements Space {
    @Override
    public long size() {
      return device.size();
    }

    @Override
    public long alignment() {
      return device.alignment();
    }

    @Override
    public MappedMemory map(long bytes) throws IOException {
      return device.map(bytes);
    }

    @Override
    public void close() {
      device.close();
    }
  }

  private static final int STEP_BYTES = 64 << 10;

  private final PoolOptions options;
  private final Path path;
  private final Space space;

  PoolDevice(PoolOptions options, Space space) {
    this.options = options;
    this.path = options.path();
    this.space = space;
  }

  static PoolDevice acquire(PoolOptions options) {
    Path path = options.path();
    try {
      DaxDevice device =
          DaxDevice.tryOpen(path)
              .orElseThrow(
                  () ->
                      new StoreException(
                          StoreException.Code.POOL_OWNED,
                          "pool "
                              + path
                              + " has an owner that is alive, "
                              + FlockHolder.of(path)
                              + ": a pool has one owner"));
      return new PoolDevice(options, new Dax(device));
    } catch (IOException e) {
      throw new StoreException(
          StoreException.Code.IO, "pool " + path + " can't be opened: " + e.getMessage(), e);
    }
  }

  @Override
  public boolean isMade() {
    try {
      return !PoolHeader.isUnfinished(firstBytes());
    } catch (IOException e) {
      throw unmappable(e);
    }
  }

  @Override
  public Mapped map(int number) {
    try {
      byte[] bytes = firstBytes();
      return PoolHeader.isUnfinished(bytes) ? make(number) : find(bytes);
    } catch (IOException e) {
      throw unmappable(e);
    }
  }

  private byte[] firstBytes() throws IOException {
    try (MappedMemory memory = space.map(space.alignment())) {
      byte[] bytes = new byte[PoolLayout.HEADER_BYTES];
      memory.get(0, bytes, 0, bytes.length);
      return bytes;
    }
  }

  private Mapped find(byte[] bytes) throws IOException {
    PoolHeader header =
        PoolHeader.decode(path, bytes, PoolHeader.sizeIn(bytes))
            .requireEphemeral(path, options.ephemeral());
    requireFits(header.size(), StoreException.Code.POOL_INVALID);
    return new Mapped(space.map(header.size()), header, true);
  }

  private Mapped make(int number) throws IOException {
    requireFits(options.size(), StoreException.Code.INVALID_ARGUMENT);
    PoolHeader header =
        new PoolHeader(
            options.size(),
            new SecureRandom().nextLong(),
            options.ephemeral(),
            System.currentTimeMillis(),
            number);
    MappedMemory memory = space.map(options.size());
    boolean done = false;
    try {
      requireZeros(memory, header.chunksStart());
      done = true;
      return new Mapped(memory, header, false);
    } finally {
      if (!done) {
        memory.close();
      }
    }
  }

  private void requireFits(long size, StoreException.Code code) {
    if (size > space.size() || size % space.alignment() != 0) {
      throw new StoreException(
          code,
          "pool "
              + path
              + ": size is "
              + size
              + ", expected a multiple of the device's alignment of "
              + space.alignment()
              + " and at most its "
              + space.size()
              + " bytes");
    }
  }

  /**
   * Behind what a header may have left there must be zeros up to where chunks begin: many a file
   * system has nothing in its first bytes, and a pool that lost its header still has its words.
   */
  private void requireZeros(MappedMemory memory, long end) {
    byte[] bytes = new byte[STEP_BYTES];
    for (long at = PoolLayout.HEADER_BYTES; at < end; at += bytes.length) {
      int length = (int) Math.min(bytes.length, end - at);
      memory.get(at, bytes, 0, length);
      for (int i = 0; i < length; i++) {
        if (bytes[i] != 0) {
          throw new StoreException(
              StoreException.Code.POOL_INVALID,
              "pool "
                  + path
                  + ": byte "
                  + (at + i)
                  + " is "
                  + bytes[i]
                  + ", expected 0 where no pool is: something else is on the device; if it is not"
                  + " needed, zero it (daxio --zero --output="
                  + path
                  + ")");
        }
      }
    }
  }

  private StoreException unmappable(IOException e) {
    return new StoreException(
        StoreException.Code.IO, "pool " + path + " can't be mapped: " + e.getMessage(), e);
  }

  @Override
  public void close() {
    space.close();
  }
}
