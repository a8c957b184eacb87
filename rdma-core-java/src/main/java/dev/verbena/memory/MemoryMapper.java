// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import jdk.nio.mapmode.ExtendedMapMode;

/**
 * Maps, unmaps and reserves: the one place where memory comes from and goes back to.
 *
 * <p>Space is reserved by writing zeros before the mapping is made, so that a full disk or /dev/shm
 * is an {@link IOException} here and not a SIGBUS at some later store.
 */
public final class MemoryMapper {
  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private MemoryMapper() {}

  /**
   * Creates a file of {@code size} bytes, readable and writable by its owner only, reserves its
   * space and maps it.
   *
   * @throws FileAlreadyExistsException if there is a file of that name
   * @throws IOException if the file system is full or the mapping fails; the file is removed again
   */
  public static MappedMemory create(Path file, long size) throws IOException {
    return Uninterrupted.call(() -> createNew(file, size, MapMode.READ_WRITE, false));
  }

  /**
   * As {@link #create}, of a file in persistent memory whose stores are durable once their cache
   * lines are written back: mmap(2) with MAP_SYNC.
   *
   * @throws IOException if the file system or the processor can't do this, besides
   */
  public static MappedMemory createSynchronous(Path file, long size) throws IOException {
    return Uninterrupted.call(() -> createNew(file, size, ExtendedMapMode.READ_WRITE_SYNC, false));
  }

  /** As {@link #create}, of a file that is deleted when the memory is closed. */
  public static MappedMemory createTemporary(Path file, long size) throws IOException {
    return Uninterrupted.call(() -> createNew(file, size, MapMode.READ_WRITE, true));
  }

  private static MappedMemory createNew(Path file, long size, MapMode mode, boolean temporary)
      throws IOException {
    Set<OpenOption> options =
        Set.of(
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS);
    try (FileChannel channel = FileChannel.open(file, options, OWNER_ONLY)) {
      try {
        reserve(channel, 0, size);
        return map(channel, file, size, mode, temporary);
      } catch (IOException | RuntimeException | Error e) {
        Files.deleteIfExists(file);
        throw e;
      }
    }
  }

  /**
   * Maps an existing file, whole, for reading and writing.
   *
   * @throws IOException if it can't be opened, or is empty
   */
  public static MappedMemory open(Path file) throws IOException {
    return Uninterrupted.call(() -> openExisting(file, MapMode.READ_WRITE));
  }

  /** As {@link #open}, of a file as {@link #createSynchronous} makes it. */
  public static MappedMemory openSynchronous(Path file) throws IOException {
    return Uninterrupted.call(() -> openExisting(file, ExtendedMapMode.READ_WRITE_SYNC));
  }

  private static MappedMemory openExisting(Path file, MapMode mode) throws IOException {
    Set<OpenOption> options =
        Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    try (FileChannel channel = FileChannel.open(file, options)) {
      long size = channel.size();
      if (size == 0) {
        throw new IOException("nothing to map: " + file + " is empty");
      }
      return map(channel, file, size, mode, false);
    }
  }

  /** Writes zeros over a range of a file, so that its blocks are there. */
  public static void reserve(FileChannel channel, long from, long length) throws IOException {
    ByteBuffer zeros = PieceMath.ZEROS.duplicate();
    for (long done = 0; done < length; ) {
      zeros.clear().limit((int) Math.min(zeros.capacity(), length - done));
      done += channel.write(zeros, from + done);
    }
  }

  private static MappedMemory map(
      FileChannel channel, Path file, long size, MapMode mode, boolean temporary)
      throws IOException {
    int count = (int) ((size + MappedMemory.PIECE_SIZE - 1) / MappedMemory.PIECE_SIZE);
    ByteBuffer[] pieces = new ByteBuffer[count];
    FileMapping mapping = FileMapping.create();
    try {
      for (int i = 0; i < count; i++) {
        long from = i * MappedMemory.PIECE_SIZE;
        long length = Math.min(MappedMemory.PIECE_SIZE, size - from);
        pieces[i] = mapping.map(channel, mode, from, length).order(ByteOrder.nativeOrder());
      }
    } catch (IOException | RuntimeException | Error e) {
      mapping.close();
      if (mode == ExtendedMapMode.READ_WRITE_SYNC) {
        throw new IOException(
            file
                + " can't be mapped with MAP_SYNC, expected a file system mounted with the option dax"
                + " and a processor that writes cache lines back: "
                + e.getMessage(),
            e);
      }
      throw e;
    }
    return new MappedMemory(pieces, size, file, mapping, temporary);
  }

  static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException("can't delete " + file, e);
    }
  }
}
