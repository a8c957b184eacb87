// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.memory.FileSync;
import dev.verbena.memory.MappedMemory;
import dev.verbena.memory.MemoryMapper;
import dev.verbena.memory.Uninterrupted;
import dev.verbena.store.PoolKind;
import dev.verbena.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Set;

/**
 * Makes, checks and maps the file of a pool, whose lock lies beside it. The caller writes the
 * header of a new one: until then it is a file of zeros.
 */
final class PoolFile implements PoolPlace {
  private static final int STEP_BYTES = 64 << 10;

  private final PoolOptions options;
  private final PoolLock lock;

  private PoolFile(PoolOptions options, PoolLock lock) {
    this.options = options;
    this.lock = lock;
  }

  static PoolFile acquire(PoolOptions options) {
    return new PoolFile(options, PoolLock.acquire(options.path()));
  }

  @Override
  public boolean isMade() {
    return Files.exists(options.path(), LinkOption.NOFOLLOW_LINKS);
  }

  @Override
  public Mapped map(int number) {
    return isMade() ? open(options) : create(options);
  }

  @Override
  public void close() {
    lock.close();
  }

  private static Mapped create(PoolOptions options) {
    Path path = options.path();
    long poolId = new SecureRandom().nextLong();
    PoolHeader header =
        new PoolHeader(
            options.size(),
            poolId,
            options.ephemeral(),
            System.currentTimeMillis(),
            PoolHeader.NO_NUMBER);
    MappedMemory memory;
    try {
      memory = createMapped(options);
      sync(options, memory);
    } catch (IOException e) {
      throw new StoreException(
          StoreException.Code.IO,
          "pool "
              + path
              + " of "
              + options.size()
              + " bytes can't be made, "
              + room(path)
              + ": "
              + e.getMessage(),
          e);
    }
    return new Mapped(memory, header, false);
  }

  private static MappedMemory createMapped(PoolOptions options) throws IOException {
    return options.kind() == PoolKind.FSDAX
        ? MemoryMapper.createSynchronous(options.path(), options.size())
        : MemoryMapper.create(options.path(), options.size());
  }

  /** Checks the header by reading, and maps only what passed. */
  private static Mapped open(PoolOptions options) {
    Path path = options.path();
    try {
      FileTime modified = Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS);
      PoolHeader header =
          PoolHeader.decode(path, readHeader(path), Files.size(path))
              .requireEphemeral(path, options.ephemeral());
      return new Mapped(mapOpened(options, header.size(), modified), header, true);
    } catch (IOException e) {
      throw new StoreException(
          StoreException.Code.IO, "pool " + path + " can't be opened: " + e.getMessage(), e);
    }
  }

  /**
   * The file may have been truncated since its header was read. What is truncated as it is mapped
   * Java makes long again, with zeros that would pass for an empty pool: so the time tells too.
   */
  private static MappedMemory mapOpened(PoolOptions options, long size, FileTime modified)
      throws IOException {
    Path path = options.path();
    MappedMemory memory =
        options.kind() == PoolKind.FSDAX
            ? MemoryMapper.openSynchronous(path)
            : MemoryMapper.open(path);
    FileTime now = Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS);
    if (memory.size() != size || !now.equals(modified)) {
      memory.close();
      throw new StoreException(
          StoreException.Code.POOL_INVALID,
          "pool "
              + path
              + ": length is "
              + memory.size()
              + ", expected "
              + size
              + ": it changed while it was opened");
    }
    return memory;
  }

  /** The first bytes of a file, fewer if it is shorter than a header. */
  static byte[] readHeader(Path path) throws IOException {
    return read(path, 0, PoolLayout.HEADER_BYTES);
  }

  /** Whether any publish word stands in a file, which may be too short for its table. */
  static boolean hasWords(Path path) throws IOException {
    long end = PoolLayout.chunksStart(PoolLayout.chunksIn(Files.size(path)));
    for (long at = PoolLayout.TABLE_START; at < end; at += STEP_BYTES) {
      for (byte b : read(path, at, (int) Math.min(STEP_BYTES, end - at))) {
        if (b != 0) {
          return true;
        }
      }
    }
    return false;
  }

  /** Some bytes of a file, fewer if it ends there. */
  private static byte[] read(Path path, long from, int length) throws IOException {
    return Uninterrupted.call(
        () -> {
          ByteBuffer bytes = ByteBuffer.allocate(length);
          try (FileChannel channel =
              FileChannel.open(path, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
            while (bytes.hasRemaining() && channel.read(bytes, from + bytes.position()) >= 0) {}
          }
          return Arrays.copyOf(bytes.array(), bytes.position());
        });
  }

  /** msync makes a file's bytes durable, neither its length nor its name. */
  private static void sync(PoolOptions options, MappedMemory memory) throws IOException {
    if (options.domain() == DurabilityDomain.PROCESS) {
      return;
    }
    try {
      FileSync.file(options.path());
      FileSync.directory(options.path().toAbsolutePath().getParent());
    } catch (IOException e) {
      memory.close();
      Files.deleteIfExists(options.path());
      throw e;
    }
  }

  private static String room(Path path) {
    try {
      Path directory = path.toAbsolutePath().getParent();
      return Files.getFileStore(directory).getUsableSpace() + " bytes are free in " + directory;
    } catch (IOException e) {
      return "and the free space is unknown (" + e.getMessage() + ")";
    }
  }
}
