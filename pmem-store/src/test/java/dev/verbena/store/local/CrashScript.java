// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import static dev.verbena.store.local.CrashOps.blocks;
import static dev.verbena.store.local.CrashOps.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.store.StoreException;
import dev.verbena.store.pool.Extent;
import dev.verbena.store.pool.Placement;
import dev.verbena.store.pool.RecordId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Short histories, each of which is crashed at every place. */
enum CrashScript {
  /** A fresh store, and outputs of one and more rounds. */
  COMMITS {
    @Override
    void play(CrashRun run) {
      run.open();
      run.commit(key("a", 0, 0), blocks(2, 1_500, 1), 1);
      run.commit(key("a", 0, 1), blocks(3, 5_000, 2), 2);
    }
  },

  /** Space that is given out again, with other bytes. */
  REMOVALS {
    @Override
    void play(CrashRun run) {
      run.watch(false);
      run.open();
      for (int i = 0; i < 3; i++) {
        run.commit(key("a", 0, i), blocks(1, 6_000, i), 1);
      }
      run.watch(true);
      run.removeOutput(key("a", 0, 0));
      run.commit(key("a", 1, 0), blocks(1, 7_000, 4), 1);
      run.removeShuffle("a", 0);
      run.commit(key("a", 2, 0), blocks(2, 9_000, 5), 2);
    }
  },

  /** Bytes that go bad while nobody looks; their output ends, and its space is used again. */
  DAMAGE {
    @Override
    void play(CrashRun run) {
      // So long that its words and those of the others are in different lines.
      run.watch(false);
      run.open();
      run.commit(key("a", 0, 0), blocks(1, 40_000, 1), 1);
      run.commit(key("a", 0, 1), blocks(1, 3_000, 2), 1);
      run.close();
      run.damage(key("a", 0, 0));
      run.watch(true);
      run.open();
      run.commit(key("a", 1, 0), blocks(1, 20_000, 3), 1);
      run.removeOutput(key("a", 0, 1));
      run.commit(key("a", 1, 1), blocks(1, 9_000, 4), 1);
    }
  },

  /** An output that goes on in a pool of the second tier, which is made for it. */
  OVERFLOW {
    @Override
    void play(CrashRun run) {
      run.watch(false);
      run.open();
      run.watch(true);
      run.commit(key("a", 0, 0), blocks(2, 150_000, 1), 1);
      run.removeOutput(key("a", 0, 0));
      run.commit(key("a", 0, 1), blocks(1, 3_000, 2), 1);
    }
  },

  /** So many outputs that the index moves. */
  INDEX_GROWTH {
    @Override
    void play(CrashRun run) {
      run.watch(false);
      run.open();
      for (int i = 0; i < 32; i++) {
        run.commit(key("a", 0, i), blocks(1, 100, i), 1);
      }
      run.watch(true);
      run.commit(key("a", 0, 32), blocks(1, 100, 32), 1);
      run.commit(key("a", 1, 33), blocks(1, 100, 33), 1);
      run.removeShuffle("a", 1);
    }
  },

  /** A commit that finds no room to let the index grow. */
  FULL {
    @Override
    void play(CrashRun run) {
      run.watch(false);
      run.open();
      for (int i = 0; i < 32; i++) {
        run.commit(key("a", 0, i), blocks(1, 100, i), 1);
      }
      Deque<Placement> taken = takeAll(run);
      taken.removeLast().extent().discard();
      taken.removeLast().extent().discard();
      run.hold(taken);
      run.watch(true);
      assertThat(run.commit(key("a", 1, 32), blocks(1, 100, 33), 1)).isFalse();
      taken.forEach(place -> place.extent().discard());
      run.hold(List.of());
      run.commit(key("a", 1, 33), blocks(1, 100, 34), 1);
    }
  },

  /** Writers that abort, that lose, and that run beside each other. */
  WRITERS {
    @Override
    void play(CrashRun run) {
      run.watch(false);
      run.open();
      run.commit(key("a", 0, 0), blocks(1, 3_000, 1), 1);
      run.watch(true);
      run.abort(key("a", 0, 1), blocks(2, 5_000, 2), 2);
      run.commit(key("a", 0, 0), blocks(1, 3_000, 3), 2);
      run.commitInterleaved(key("a", 1, 0), key("a", 1, 1), blocks(2, 4_000, 4));
    }
  },

  /** Applications that end. */
  APPLICATIONS {
    @Override
    void play(CrashRun run) {
      run.watch(false);
      run.open();
      for (int i = 0; i < 4; i++) {
        run.commit(key(i % 2 == 0 ? "a" : "b", i / 2, i), blocks(2, 2_000, i), 2);
      }
      run.watch(true);
      run.removeApplication("a");
      run.commit(key("b", 2, 9), blocks(1, 8_000, 9), 1);
      run.removeApplication("b");
    }
  },

  /** Entries of a log beside outputs, from here and from elsewhere, and a log that ends. */
  LOGS {
    @Override
    void play(CrashRun run) {
      run.watch(false);
      run.open();
      run.commit(key("a", 0, 0), blocks(1, 3_000, 1), 1);
      run.watch(true);
      run.log(blocks(1, 200, 2)[0]);
      run.logMessage(blocks(1, 9_000, 3)[0]);
      run.commit(key("b", 0, 1), blocks(1, 3_000, 4), 1);
      run.trimLog();
      run.logFromElsewhere(1, false, true, blocks(3, 5_000, 5));
      run.logFromElsewhere(6, false, false, blocks(2, 300, 6));
      run.logFromElsewhere(0, true, false, blocks(2, 4_200, 7));
      run.removeShuffle("a", 0);
      run.removeApplication("a");
    }
  },

  /** A store that is closed and opened again. */
  REOPENING {
    @Override
    void play(CrashRun run) {
      run.watch(false);
      run.open();
      run.commit(key("a", 0, 0), blocks(2, 3_000, 1), 2);
      run.commit(key("a", 0, 1), blocks(1, 3_000, 2), 1);
      run.removeOutput(key("a", 0, 0));
      run.watch(true);
      run.close();
      run.open();
      run.commit(key("a", 0, 0), blocks(1, 5_000, 3), 1);
    }
  },

  /** So many records that the mark of their sequences is raised. */
  SEQUENCES {
    @Override
    void play(CrashRun run) {
      run.watch(false);
      run.open();
      Placement place = run.store().pools().reserve(1, 1);
      Extent extent = place.extent();
      for (int i = 0; i < 65_535; i++) {
        extent.pool().publish(extent, new RecordId(1, 2, 3, 4), 0, 0);
        extent.retract();
      }
      extent.discard();
      run.watch(true);
      run.commit(key("a", 0, 0), blocks(1, 100, 1), 1);
      run.commit(key("a", 0, 1), blocks(1, 100, 2), 1);
      run.removeShuffle("a", 0);
      run.commit(key("a", 1, 1), blocks(1, 100, 3), 1);
    }
  };

  abstract void play(CrashRun run);

  /** Whether it has so many places that not all need a crash every time. */
  boolean isLong() {
    return this == INDEX_GROWTH || this == FULL;
  }

  private static Deque<Placement> takeAll(CrashRun run) {
    Deque<Placement> taken = new ArrayDeque<>();
    try {
      while (true) {
        taken.add(run.store().pools().reserve(1, 1));
      }
    } catch (StoreException e) {
      assertThat(e.code()).isEqualTo(StoreException.Code.POOL_FULL);
      return taken;
    }
  }
}
