// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.crash;

import dev.verbena.memory.MappedMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * What is safe of the pool files under one directory, told apart from what was stored.
 *
 * <p>{@link Model#POWER}: stores go to 64-byte lines that are lost until they are persisted, or are
 * written back at any time, whole or in any of their 8-byte words. A file's name and length are
 * safe once the directory and the file are synced.
 *
 * <p>{@link Model#KILL}: the process dies and its memory stays, as another process sees it: plain
 * stores may be seen in any order, a release store only after all before it, and later plain stores
 * may overtake it (the Java memory model allows that) up to the next release or monitor.
 *
 * <p>One thread.
 */
public final class PersistenceDomain {
  /** What a crash takes. */
  public enum Model {
    /** The process: what was stored and not yet ordered may be missing. */
    KILL,
    /** The machine: what was not persisted may be missing. */
    POWER
  }

  /** Called where a crash can be taken. */
  @FunctionalInterface
  public interface Boundary {
    /** A crash here would leave what {@link PersistenceDomain#crash} gives. */
    void reached(String where);
  }

  /** A value that was stored with release. */
  public record Released(String file, long fileBytes, long offset, long value) {}

  private static final int EVICT_ONE_IN = 4;

  private final Model model;
  private final Path root;
  private final RandomGenerator random;
  private final Map<Path, SimulatedFile> files = new HashMap<>();
  private final Map<MappedMemory, SimulatedFile> mapped = new HashMap<>();
  private final Map<String, SimulatedFile> inherited = new HashMap<>();
  private final List<Released> released = new ArrayList<>();
  private Boundary boundary;

  /** A domain over {@code root}, whose files are safe as they are. */
  public PersistenceDomain(Model model, Path root, RandomGenerator random) {
    this.model = model;
    this.root = root;
    this.random = random;
  }

  /** As above, over files of which {@code image} knows what is not safe yet. */
  public PersistenceDomain(Model model, Path root, RandomGenerator random, CrashImage image) {
    this(model, root, random);
    image.unsafe().forEach((name, file) -> inherited.put(name, file.copy()));
  }

  /** Who is told of places where a crash can be taken; null for nobody. */
  public void listen(Boundary listener) {
    boundary = listener;
  }

  /** Every value stored with release so far. */
  public List<Released> released() {
    return released;
  }

  /** The caller goes on to tell others what it did: all of it is seen. */
  public void settle() {
    if (model == Model.KILL) {
      mapped.values().forEach(SimulatedFile::persistAll);
    }
  }

  /** Lets the medium lose a bit where {@code bytes} stand in a file that is not mapped. */
  public void damage(Path path, byte[] bytes) {
    byte[] all = read(path);
    int at = 0;
    while (!Arrays.equals(all, at, at + bytes.length, bytes, 0, bytes.length)) {
      at++;
    }
    all[at] ^= 1;
    files.get(path).damage(at);
    try {
      Files.write(path, all);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A monitor is entered or left: in a process that is what {@link #settle} says. */
  void monitor() {
    if (model == Model.KILL) {
      if (mapped.values().stream().anyMatch(SimulatedFile::isUnsafe)) {
        at("before a monitor", "");
      }
      settle();
    }
  }

  void made(Path path, MappedMemory memory) {
    SimulatedFile file = SimulatedFile.unfinished(name(path), (int) memory.size());
    files.put(path, file);
    mapped.put(memory, file);
    file.map(memory);
    at("making ", path);
    if (model == Model.KILL) {
      file.syncName();
      file.syncLength();
    }
  }

  void opened(Path path, MappedMemory memory) {
    SimulatedFile file = files.get(path);
    if (file == null) {
      file = inherited.remove(name(path));
    }
    if (file == null) {
      file = SimulatedFile.safe(name(path), read(path));
    }
    files.put(path, file);
    mapped.put(memory, file);
    file.map(memory);
  }

  void closed(MappedMemory memory) {
    SimulatedFile file = mapped.remove(memory);
    if (file != null) {
      file.map(null);
    }
  }

  void store(MappedMemory memory, long offset, long length) {
    SimulatedFile file = file(memory);
    file.willStore(offset, length, line -> random.nextInt(EVICT_ONE_IN) == 0, random::nextBoolean);
  }

  void release(MappedMemory memory, long offset, long value) {
    SimulatedFile file = file(memory);
    at("before release at ", offset);
    settle();
    store(memory, offset, Long.BYTES);
    memory.putLongRelease(offset, value);
    released.add(new Released(file.name(), memory.size(), offset, value));
    at("after release at ", offset);
  }

  void persist(MappedMemory memory, long offset, long length) {
    at("before persist at ", offset);
    file(memory).persist(offset, length);
    at("after persist at ", offset);
  }

  void syncFile(Path path) {
    at("before sync of ", path);
    SimulatedFile file = files.get(path);
    if (file != null) {
      file.syncLength();
      file.persistAll();
    }
    at("after sync of ", path);
  }

  void syncDirectory(Path directory) {
    at("before sync of ", directory);
    files.forEach(
        (path, file) -> {
          if (directory.equals(path.getParent())) {
            file.syncName();
          }
        });
    at("after sync of ", directory);
  }

  /** What a crash now leaves. */
  public CrashImage crash(Outcome outcome, RandomGenerator seeded) {
    SortedMap<String, byte[]> left = new TreeMap<>();
    SortedMap<String, SimulatedFile> unsafe = new TreeMap<>();
    for (Path path : pools()) {
      byte[] live = read(path);
      SimulatedFile file = files.getOrDefault(path, inherited.get(name(path)));
      if (file == null) {
        left.put(name(path), live);
      } else if (outcome == Outcome.PROCESS_ONLY) {
        left.put(name(path), live);
        unsafe.put(name(path), file.copy());
      } else {
        file.afterCrash(live, outcome, seeded).ifPresent(bytes -> left.put(name(path), bytes));
      }
    }
    boolean locks = model == Model.KILL || outcome.choose(seeded);
    return new CrashImage(left, locks || outcome == Outcome.PROCESS_ONLY, unsafe);
  }

  private List<Path> pools() {
    try (Stream<Path> found = Files.walk(root)) {
      return found.filter(path -> path.toString().endsWith(".pool")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String name(Path path) {
    return root.relativize(path).toString();
  }

  private SimulatedFile file(MappedMemory memory) {
    SimulatedFile file = mapped.get(memory);
    if (file == null) {
      throw new IllegalStateException("not mapped in this domain: " + memory);
    }
    return file;
  }

  private void at(String what, Object where) {
    if (boundary != null) {
      boundary.reached(what + where);
    }
  }

  private static byte[] read(Path path) {
    try {
      return Files.readAllBytes(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
