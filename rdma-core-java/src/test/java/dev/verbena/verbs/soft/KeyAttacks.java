// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.mutation.Attacks;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Map;

/** What a peer may try with keys, ranges and permissions, on the tables alone. */
public final class KeyAttacks implements Attacks {
  private static final int DOMAIN = 5;
  private static final int PAIR = 9;
  private static final long FIRST = Iova.of(3, 4096);
  private static final long SIZE = 64;
  private static final int HIGH_BIT = 1 << 30;
  private static final int READ = KeyTable.REMOTE_READ;

  private final MappedMemory area =
      MappedMemory.of(ByteBuffer.allocateDirect((int) DeviceAreaLayout.SIZE));
  private final KeyTable keys = new KeyTable(area, new SecureRandom());

  @Override
  public Map<String, Runnable> all() {
    return Map.of(
        "aRangeBeyondTheRegion", this::aRangeBeyondTheRegion,
        "aPermissionThatWasNotGiven", this::aPermissionThatWasNotGiven,
        "aKeyThatIsNotTheOne", this::aKeyThatIsNotTheOne,
        "aWindowOfAnotherQueuePair", this::aWindowOfAnotherQueuePair,
        "aWindowThatIsNotBound", this::aWindowThatIsNotBound,
        "invalidatingWhatIsNotOnesOwn", this::invalidatingWhatIsNotOnesOwn,
        "memoryThatIsNotThere", this::memoryThatIsNotThere,
        "anAnnouncementThatIsOverlooked", this::anAnnouncementThatIsOverlooked,
        "whoMustPersist", this::whoMustPersist);
  }

  private int region(int access) {
    return keys.insert(DOMAIN, access, FIRST, SIZE, 0);
  }

  private boolean opens(int key, long address, long length) {
    return keys.allows(key, DOMAIN, PAIR, READ, address, length);
  }

  private void aRangeBeyondTheRegion() {
    int key = region(READ);
    assertThat(opens(key, FIRST, SIZE)).isTrue();
    assertThat(opens(key, FIRST + 1, SIZE - 1)).isTrue();
    assertThat(opens(key, FIRST + SIZE, 0)).isTrue();
    assertThat(opens(key, FIRST - 1, 1)).isFalse();
    assertThat(opens(key, FIRST - 1, SIZE)).isFalse();
    assertThat(opens(key, FIRST, SIZE + 1)).isFalse();
    assertThat(opens(key, FIRST + 1, SIZE)).isFalse();
    assertThat(opens(key, FIRST + SIZE, 1)).isFalse();
    assertThat(opens(key, FIRST + SIZE + 1, 0)).isFalse();
    assertThat(opens(key, FIRST, -1)).isFalse();
    assertThat(opens(key, FIRST, Long.MAX_VALUE)).isFalse();
    assertThat(opens(key, FIRST, Long.MIN_VALUE)).isFalse();
    assertThat(opens(key, Long.MIN_VALUE, SIZE)).isFalse();
    assertThat(opens(key, Long.MAX_VALUE, SIZE)).isFalse();
    assertThat(opens(key, 0, Long.MAX_VALUE)).isFalse();
  }

  private void aPermissionThatWasNotGiven() {
    int key = region(READ | KeyTable.LOCAL_WRITE);
    assertThat(keys.allows(key, DOMAIN, PAIR, READ, FIRST, 1)).isTrue();
    assertThat(keys.allows(key, DOMAIN, PAIR, 0, FIRST, 1)).isTrue();
    for (int other : new int[] {KeyTable.REMOTE_WRITE, KeyTable.REMOTE_ATOMIC}) {
      assertThat(keys.allows(key, DOMAIN, PAIR, other, FIRST, 1)).isFalse();
      assertThat(keys.allows(key, DOMAIN, PAIR, other | READ, FIRST, 1)).isFalse();
      assertThat(keys.allowsWhole(key, DOMAIN, PAIR, other)).isFalse();
    }
  }

  private void aKeyThatIsNotTheOne() {
    int key = region(READ);
    assertThat(opens(key, FIRST, 1)).isTrue();
    for (int bit = 1; bit != 0; bit <<= 1) {
      assertThat(opens(key ^ bit, FIRST, 1)).isFalse();
    }
    for (int bit = 1; bit < 1 << Short.SIZE; bit <<= 1) {
      assertThat(keys.allows(key, DOMAIN ^ bit, PAIR, READ, FIRST, 1)).isFalse();
      assertThat(keys.allowsWhole(key, DOMAIN ^ bit, PAIR, READ)).isFalse();
    }
    keys.revoke(key);
    assertThat(opens(key, FIRST, 1)).isFalse();
    // What fits the zeros of a free slot in all but its kind.
    assertThat(keys.allows(0, 0, PAIR, 0, 0, 0)).isFalse();
    assertThat(keys.allows(0, 0, KeyTable.NO_QUEUE_PAIR, 0, 0, 0)).isFalse();
  }

  private int window(int queuePair) {
    int key = keys.insertWindow();
    keys.bind(key, DOMAIN, new WindowRange(FIRST, SIZE, READ), 0, queuePair);
    return key;
  }

  private void aWindowOfAnotherQueuePair() {
    int key = window(PAIR);
    assertThat(opens(key, FIRST, SIZE)).isTrue();
    assertThat(keys.allows(key, DOMAIN, PAIR + 1, READ, FIRST, SIZE)).isFalse();
    assertThat(keys.allows(key, DOMAIN, KeyTable.NO_QUEUE_PAIR, READ, FIRST, SIZE)).isFalse();
    int nobodys = window(KeyTable.NO_QUEUE_PAIR);
    assertThat(keys.allows(nobodys, DOMAIN, KeyTable.NO_QUEUE_PAIR, READ, FIRST, 1)).isFalse();
    assertThat(keys.allows(region(READ), DOMAIN, KeyTable.NO_QUEUE_PAIR, READ, FIRST, 1)).isTrue();
  }

  private void aWindowThatIsNotBound() {
    // In slot 0 the words of free and unbound slots fit a request in all but their kind.
    KeyTable first = new KeyTable(area, new FirstSlot());
    int key = first.insertWindow();
    assertThat(first.isUnbound(0)).isTrue();
    assertThat(first.allows(0, 0, PAIR, 0, 0, 0)).isFalse();
    first.bind(key, 0, new WindowRange(0, SIZE, 0), 0, PAIR);
    assertThat(first.isUnbound(0)).isFalse();
    assertThat(first.allows(key, 0, PAIR, 0, 0, 0)).isTrue();
    first.unbind(0);
    assertThat(first.isUnbound(0)).isTrue();
    assertThat(first.allows(key, 0, PAIR, 0, 0, 0)).isFalse();
    assertThat(first.allows(0, 0, PAIR, 0, 0, 0)).isFalse();
    first.freeWindow(0);
    assertThat(first.isUnbound(0)).isFalse();
    assertThat(first.allows(0, 0, PAIR, 0, 0, 0)).isFalse();
  }

  private static final class FirstSlot extends SecureRandom {
    @Override
    public int nextInt() {
      return DeviceAreaLayout.MAX_REGIONS;
    }
  }

  private void invalidatingWhatIsNotOnesOwn() {
    int region = region(READ);
    assertThat(keys.invalidate(region, DOMAIN, PAIR)).isFalse();
    assertThat(keys.invalidate(region, DOMAIN, 0)).isFalse();
    int key = window(PAIR);
    assertThat(keys.invalidate(key ^ HIGH_BIT, DOMAIN, PAIR)).isFalse();
    assertThat(keys.invalidate(key, DOMAIN + 1, PAIR)).isFalse();
    assertThat(keys.invalidate(key, DOMAIN, PAIR + 1)).isFalse();
    assertThat(opens(key, FIRST, 1)).isTrue();
    assertThat(keys.invalidate(key, DOMAIN, PAIR)).isTrue();
    assertThat(opens(key, FIRST, 1)).isFalse();
    assertThat(keys.invalidate(key, DOMAIN, PAIR)).isFalse();
    assertThat(opens(region, FIRST, 1)).isTrue();
  }

  private static MappedMemory hazards() {
    return MappedMemory.of(ByteBuffer.allocateDirect(4096));
  }

  private void memoryThatIsNotThere() {
    MappedMemory pair = hazards();
    HazardSlot slot = new HazardSlot(pair, QueuePairAreaLayout.hazard(0));
    MappedMemory there = hazards();
    RegionAccess access =
        new RegionAccess(
            slot, keys, number -> number == 3 ? there : null, DOMAIN, PAIR, FaultPort.OFF);
    int key = region(READ);
    int elsewhere = keys.insert(DOMAIN, READ, Iova.of(4, 0), SIZE, 0);
    assertThat(access.open(key, FIRST, 8, READ)).isEqualTo(RegionAccess.Outcome.OPEN);
    assertThat(access.memory()).isSameAs(there);
    assertThat(access.offset()).isEqualTo(4096);
    assertThat(pair.getLong(QueuePairAreaLayout.hazard(0))).isEqualTo(KeyTable.slot(key) + 1L);
    access.close();
    assertIdle(pair);
    assertThat(access.open(key, FIRST, 8, KeyTable.REMOTE_WRITE))
        .isEqualTo(RegionAccess.Outcome.DENIED);
    assertIdle(pair);
    assertThat(access.open(elsewhere, Iova.of(4, 0), 8, READ))
        .isEqualTo(RegionAccess.Outcome.UNREACHABLE);
    assertIdle(pair);
    assertThat(access.announceWhole(key, KeyTable.FLUSH_GLOBAL)).isFalse();
    assertIdle(pair);
    assertThat(access.announceWhole(key, READ)).isTrue();
    assertThat(pair.getLong(QueuePairAreaLayout.hazard(0))).isEqualTo(KeyTable.slot(key) + 1L);
    access.close();
    assertThat(access.invalidate(window(PAIR))).isTrue();
    assertThat(access.invalidate(key)).isFalse();
  }

  private static void assertIdle(MappedMemory pair) {
    assertThat(new QueuePairHazards(pair).areClear()).isTrue();
  }

  private void anAnnouncementThatIsOverlooked() {
    MappedMemory pair = hazards();
    QueuePairHazards seen = new QueuePairHazards(pair);
    for (int slot = 0; slot < QueuePairAreaLayout.HAZARD_SLOTS; slot++) {
      boolean owners = slot == QueuePairAreaLayout.LOCAL_HAZARD;
      HazardSlot hazard = new HazardSlot(pair, QueuePairAreaLayout.hazard(slot));
      assertThat(seen.areClear()).isTrue();
      hazard.announce(7);
      assertThat(seen.areClear()).isEqualTo(owners);
      assertThat(seen.peerAnnounces(7)).isEqualTo(!owners);
      assertThat(seen.ownerAnnounces(7)).isEqualTo(owners);
      assertThat(seen.peerAnnounces(8)).isFalse();
      assertThat(seen.ownerAnnounces(8)).isFalse();
      hazard.clear();
    }
    assertThat(seen.areClear()).isTrue();
  }

  private void whoMustPersist() {
    int key = keys.insert(DOMAIN, READ, FIRST, SIZE, KeyTable.PERSISTED_BY_OWNER);
    assertThat(keys.isPersistedByOwner(key)).isTrue();
    assertThat(keys.isPersistedByOwner(window(PAIR))).isFalse();
  }
}
