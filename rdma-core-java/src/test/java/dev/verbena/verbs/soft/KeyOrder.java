// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.mutation.Attacks;
import dev.verbena.verbs.soft.mutation.Interleaving;
import dev.verbena.verbs.soft.mutation.OrderRuns;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** A peer's accesses against the end of the key that they are made under. */
public final class KeyOrder implements Attacks {
  private static final int DOMAIN = 5;
  private static final int PAIR = 9;
  private static final int FIRST_KEY = 0x1000_0007;
  private static final int SECOND_KEY = 0x2000_0007;
  private static final int SLOT = KeyTable.slot(FIRST_KEY);
  private static final long LARGE = 4096;
  private static final long SMALL = 8;
  private static final int ACCESS = KeyTable.REMOTE_WRITE;
  private static final int TRIES = 3;

  @Override
  public Map<String, Runnable> all() {
    return Map.of(
        "noAccessOutlivesItsRegion", runs(() -> new EndOfKey(End.REVOKE)),
        "noAccessOutlivesItsWindow", runs(() -> new EndOfKey(End.UNBIND)),
        "noAccessOutlivesItsInvalidation", runs(() -> new EndOfKey(End.INVALIDATE)),
        "aNewKeyNeverOpensAnOldRange", runs(() -> new OldRange(false)),
        "aNewBindNeverOpensAnOldRange", runs(() -> new OldRange(true)),
        "oneInvalidationSucceeds", runs(TwoInvalidations::new));
  }

  private static Runnable runs(Supplier<Interleaving.Scenario> scenarios) {
    return () -> OrderRuns.explore(scenarios);
  }

  private static MappedMemory memory(long bytes) {
    return MappedMemory.of(ByteBuffer.allocateDirect((int) bytes));
  }

  /** One device area with its table, and one queue pair's area for the announcements. */
  private static class Tables {
    final MappedMemory pair = memory(4096);
    final MappedMemory data = memory(LARGE);
    final KeyTable keys = new KeyTable(memory(KEYS_END), new Chosen());
    final QueuePairHazards hazards = new QueuePairHazards(pair);

    int bindWindow(int key, long length) {
      keys.bind(key, DOMAIN, new WindowRange(0, length, ACCESS), 0, PAIR);
      return key;
    }

    RegionAccess peer() {
      HazardSlot slot = new HazardSlot(pair, QueuePairAreaLayout.hazard(0));
      return new RegionAccess(slot, keys, number -> data, DOMAIN, PAIR, FaultPort.OFF);
    }

    void awaitPeer() {
      while (hazards.peerAnnounces(SLOT)) {
        Thread.onSpinWait();
      }
    }
  }

  private static final long KEYS_END = DeviceAreaLayout.keyEntry(SLOT + 1);

  /** Draws the two keys, which share a slot. */
  private static final class Chosen extends SecureRandom {
    private boolean drawn;

    @Override
    public int nextInt() {
      int key = drawn ? SECOND_KEY : FIRST_KEY;
      drawn = true;
      return key;
    }
  }

  private enum End {
    REVOKE,
    UNBIND,
    INVALIDATE
  }

  /** A WRITE of the peer, and the owner who ends the key, waits and uses the memory otherwise. */
  private static final class EndOfKey extends Tables implements Interleaving.Scenario {
    private final End end;
    private final int key;
    private boolean inside;
    private boolean written;
    private boolean ended;

    EndOfKey(End end) {
      this.end = end;
      this.key =
          end == End.REVOKE
              ? keys.insert(DOMAIN, ACCESS, 0, LARGE, 0)
              : bindWindow(keys.insertWindow(), LARGE);
    }

    @Override
    public List<Runnable> threads() {
      return List.of(this::write, this::end);
    }

    private void write() {
      RegionAccess access = peer();
      for (int i = 0; i < TRIES; i++) {
        if (access.open(key, 0, 8, ACCESS) == RegionAccess.Outcome.OPEN) {
          inside = true;
          access.memory().putLong(access.offset(), 1);
          written = true;
          assertThat(ended).as("the key had ended").isFalse();
          inside = false;
          access.close();
        }
      }
    }

    private void end() {
      switch (end) {
        case REVOKE -> keys.revoke(key);
        case UNBIND -> keys.unbind(SLOT);
        default -> assertThat(keys.invalidate(key, DOMAIN, PAIR)).isTrue();
      }
      awaitPeer();
      assertThat(inside).as("the peer is inside").isFalse();
      ended = true;
      assertThat(data.getLong(0)).as("what the peer wrote").isEqualTo(written ? 1 : 0);
    }
  }

  /** The owner gives a slot to a smaller range; the peer knows the new key and wants the old. */
  private static final class OldRange extends Tables implements Interleaving.Scenario {
    private final boolean window;

    OldRange(boolean window) {
      this.window = window;
      if (window) {
        bindWindow(keys.insertWindow(), LARGE);
      } else {
        keys.insert(DOMAIN, ACCESS, 0, LARGE, 0);
      }
    }

    @Override
    public List<Runnable> threads() {
      return List.of(this::reach, this::change);
    }

    private void reach() {
      RegionAccess access = peer();
      for (int i = 0; i < TRIES; i++) {
        assertThat(access.open(SECOND_KEY, SMALL, 8, ACCESS))
            .isEqualTo(RegionAccess.Outcome.DENIED);
      }
    }

    private void change() {
      if (window) {
        keys.unbind(SLOT);
        awaitPeer();
        bindWindow(SECOND_KEY, SMALL);
      } else {
        keys.revoke(FIRST_KEY);
        awaitPeer();
        assertThat(keys.insert(DOMAIN, ACCESS, 0, SMALL, 0)).isEqualTo(SECOND_KEY);
      }
    }
  }

  /** A peer's SEND with invalidate against a local invalidate. */
  private static final class TwoInvalidations extends Tables implements Interleaving.Scenario {
    private int succeeded;

    TwoInvalidations() {
      bindWindow(keys.insertWindow(), LARGE);
    }

    @Override
    public List<Runnable> threads() {
      return List.of(this::invalidate, this::invalidate);
    }

    private void invalidate() {
      if (keys.invalidate(FIRST_KEY, DOMAIN, PAIR)) {
        succeeded++;
      }
    }

    @Override
    public void check() {
      assertThat(succeeded).isEqualTo(1);
      assertThat(keys.isUnbound(SLOT)).isTrue();
    }
  }
}
