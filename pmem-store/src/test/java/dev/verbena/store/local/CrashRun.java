// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.StoreException;
import dev.verbena.store.crash.PersistenceDomain;
import dev.verbena.store.pool.Placement;
import dev.verbena.store.pool.PoolLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.zip.CRC32C;

/** A store in a persistence domain, and the history of what is asked of it. */
final class CrashRun implements AutoCloseable {
  private final CrashSetup setup;
  private final Path root;
  private final PersistenceDomain domain;
  private final CrashHistory history;
  private final PersistenceDomain.Boundary boundary;
  private final List<Placement> held = new ArrayList<>();
  private LocalBlockStore store;
  private boolean watched;

  CrashRun(
      CrashSetup setup,
      Path root,
      PersistenceDomain domain,
      CrashHistory history,
      PersistenceDomain.Boundary boundary) {
    this.setup = setup;
    this.root = root;
    this.domain = domain;
    this.history = history;
    this.boundary = boundary;
    watch(true);
  }

  /** Whether crashes are taken from here on. */
  void watch(boolean on) {
    watched = on;
    domain.listen(on ? boundary : null);
  }

  LocalBlockStore store() {
    return store;
  }

  /** Says which extents the test itself holds, from here on; none of them is published. */
  void hold(Collection<Placement> places) {
    held.clear();
    held.addAll(places);
  }

  /** Lets a byte of a committed output go bad in the first pool, which is closed. */
  void damage(MapOutputKey key) {
    byte[] start = Arrays.copyOf(history.committed.remove(key)[0], Long.BYTES);
    domain.damage(root.resolve("m-0.pool"), start);
    history.damageStands = true;
  }

  void open() {
    history.opening = true;
    store = LocalBlockStore.open(setup.options(root));
    acknowledge();
    Set<MapOutputKey> visible = CrashCheck.checkVisible(store, history);
    history.opened(visible, CrashCheck.checkLog(store, history));
    rest();
  }

  /** An operation returns: crashes come before anybody knows, and after. */
  private void acknowledge() {
    reach("as it returns");
    domain.settle();
  }

  private void reach(String where) {
    if (watched) {
      boundary.reached(where);
    }
  }

  /** Between two operations: nothing is in use but what was committed. */
  private void rest() {
    SpaceModel space = new SpaceModel(domain);
    space.checkOnly(history.committed.keySet(), CrashCheck.log(store));
    assertThat(store.usage().used()).as("bytes in use").isEqualTo(space.with(held).used());
    idle();
  }

  private void idle() {
    history.quiet = true;
    reach("between operations");
    history.quiet = false;
  }

  @Override
  public void close() {
    if (store != null) {
      history.opening = true;
      store.close();
      store = null;
    }
  }

  /** Commits an output; false if there was no room. */
  boolean commit(MapOutputKey key, byte[][] blocks, int rounds) {
    boolean done = write(key, blocks, rounds);
    rest();
    return done;
  }

  private boolean write(MapOutputKey key, byte[][] blocks, int rounds) {
    boolean there = history.mayBeThere(key);
    history.used.add(key);
    if (!there) {
      history.entering.put(key, blocks);
    }
    boolean done =
        fill(
            key,
            blocks,
            writer -> {
              CrashOps.append(writer, blocks, rounds);
              assertThat(writer.commit(new long[0]).first()).isEqualTo(!there);
            });
    acknowledge();
    if (!there) {
      history.entering.remove(key);
      if (done) {
        history.committed.put(key, blocks);
      }
    }
    if (history.mayBeThere(key)) {
      CrashCheck.checkBlocks(store, key, history.blocksOf(key));
    }
    return done;
  }

  /** Uses a writer and closes it; false if it found no room, which must be so. */
  private boolean fill(MapOutputKey key, byte[][] blocks, Consumer<MapOutputWriter> use) {
    try (MapOutputWriter writer = store.openMapOutput(key, blocks.length)) {
      try {
        use.accept(writer);
        return true;
      } catch (StoreException e) {
        new SpaceModel(domain).with(held).checkFull(e);
        return false;
      }
    }
  }

  /** Writes in rounds, and aborts. */
  void abort(MapOutputKey key, byte[][] blocks, int rounds) {
    fill(
        key,
        blocks,
        writer -> {
          CrashOps.append(writer, blocks, rounds);
          writer.startRound();
          writer.append(0, blocks[0], 0, blocks[0].length);
        });
    acknowledge();
    rest();
  }

  /** Begins one output, commits another, and then the first. */
  void commitInterleaved(MapOutputKey first, MapOutputKey second, byte[][] blocks) {
    try (MapOutputWriter writer = store.openMapOutput(first, blocks.length)) {
      CrashOps.append(writer, blocks, 2);
      write(second, blocks, 1);
      idle();
      history.used.add(first);
      history.entering.put(first, blocks);
      writer.commit(new long[0]);
      acknowledge();
    }
    history.entering.remove(first);
    history.committed.put(first, blocks);
    rest();
  }

  /** Appends to the log, if there is room. */
  void log(byte[] entry) {
    log(
        entry,
        () -> store.logs().append(CrashCheck.LOGGING, CrashCheck.LOG, entry, 0, entry.length));
  }

  /** Appends what a message brought. */
  void logMessage(byte[] entry) {
    MappedMemory message = MappedMemory.of(ByteBuffer.allocateDirect(entry.length));
    message.put(0, entry, 0, entry.length);
    CRC32C crc = new CRC32C();
    crc.update(entry);
    log(
        entry,
        () ->
            store
                .logs()
                .append(
                    CrashCheck.LOGGING,
                    CrashCheck.LOG,
                    message,
                    0,
                    entry.length,
                    (int) crc.getValue()));
  }

  private void log(byte[] entry, Runnable append) {
    history.logging = entry;
    boolean done = true;
    try {
      append.run();
    } catch (StoreException e) {
      new SpaceModel(domain).with(held).checkFull(e);
      done = false;
    }
    acknowledge();
    history.logging = null;
    if (done) {
      history.logged.add(entry);
    }
    CrashCheck.checkLog(store, history);
    rest();
  }

  /**
   * Lets a writer elsewhere append to a run of eight chunks, from chunk {@code first} on, and
   * vanish before the last FLUSH.
   *
   * @param staged whether the store copies what it wrote; then its last entry is flushed too
   * @param overlap whether it claims space of its first entry once more
   */
  void logFromElsewhere(int first, boolean staged, boolean overlap, byte[]... entries) {
    GrantedRun run =
        store
            .grantedSpace()
            .reserveRun(CrashCheck.LOGGING, CrashCheck.LOG, 1, 8L * PoolLayout.CHUNK_BYTES);
    CrashPeer peer = new CrashPeer(run, first, staged);
    int last = entries.length - 1;
    for (int i = 0; i <= last; i++) {
      history.logging = entries[i];
      long word = peer.append(entries[i]);
      if (i < last || staged) {
        peer.flush(word);
      }
      if (i < last) {
        acknowledge();
        history.logging = null;
        history.logged.add(entries[i]);
        idle();
      }
    }
    if (overlap) {
      peer.overlap(first - 1, entries[0].length);
    }
    run.extent().giveBack();
    idle();
    assertThat(CrashCheck.checkLog(store, history)).endsWith(entries[last]);
    history.logging = null;
    history.logged.add(entries[last]);
    rest();
  }

  /** Empties the log. */
  void trimLog() {
    history.trimming = true;
    int entries = store.logs().trim(CrashCheck.LOGGING, CrashCheck.LOG, Long.MAX_VALUE);
    assertThat(entries).isEqualTo(history.logged.size());
    acknowledge();
    history.trimming = false;
    history.logged.clear();
    rest();
  }

  void removeOutput(MapOutputKey key) {
    remove(key::equals, () -> store.removeMapOutput(key) ? 1 : 0);
  }

  /** Removes one of those that are there. */
  void removeOutputOrNone(SplittableRandom random) {
    List<MapOutputKey> keys = CrashOps.KEYS.stream().filter(history::mustBeThere).toList();
    if (!keys.isEmpty()) {
      removeOutput(keys.get(random.nextInt(keys.size())));
    }
  }

  void removeShuffle(String application, int shuffle) {
    remove(
        key -> key.application().equals(application) && key.shuffle() == shuffle,
        () -> store.removeShuffle(application, shuffle));
  }

  void removeApplication(String application) {
    history.trimming = application.equals(CrashCheck.LOGGING);
    remove(
        key -> key.application().equals(application), () -> store.removeApplication(application));
  }

  /** A removal, which returns how many outputs there were. */
  private interface Removal {
    int run();
  }

  private void remove(Predicate<MapOutputKey> which, Removal removal) {
    List<MapOutputKey> keys = history.committed.keySet().stream().filter(which).toList();
    history.leaving.addAll(keys);
    assertThat(removal.run()).isEqualTo(keys.size());
    acknowledge();
    keys.forEach(history.committed::remove);
    history.leaving.clear();
    if (history.trimming) {
      history.trimming = false;
      history.logged.clear();
    }
    rest();
  }
}
