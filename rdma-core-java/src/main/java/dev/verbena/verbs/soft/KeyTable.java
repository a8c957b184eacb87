// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.Fences;
import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.VerbsException;
import java.security.SecureRandom;

/**
 * The regions of one device by key, in its device area: written by the owner, checked by whoever
 * runs an operation on its memory. A key is 32 random bits drawn so that its low bits name a free
 * slot. Host byte order.
 *
 * <pre>
 *   63            32 31            16 15         8 7           0
 *   +---------------+----------------+------------+------------+
 *   |  key          |  protection    |  access    |  kind      |   0
 *   |               |  domain        |  flags     |            |
 *   +---------------+----------------+------------+------------+
 *   |  address of the first byte ({@link Iova})                |   8
 *   +----------------------------------------------------------+
 *   |  length in bytes                                         |  16
 *   +----------------------------------------------------------+
 *   |  queue pair (windows)     |  flags: 1 if a persistent    |  24
 *   |                           |  FLUSH needs the owner       |
 *   +---------------------------+------------------------------+
 * </pre>
 *
 * Kinds are 0 free, 1 region, 2 window that is bound, 3 slot of a window that is not bound. The
 * first word is stored last, with release; storing 0 there revokes a region's key, swapping it for
 * {@link #UNBOUND} a window's, which the peer of its queue pair may do too.
 */
final class KeyTable {
  static final int LOCAL_WRITE = 1;
  static final int REMOTE_WRITE = 2;
  static final int REMOTE_READ = 4;
  static final int REMOTE_ATOMIC = 8;
  static final int FLUSH_GLOBAL = 16;
  static final int FLUSH_PERSISTENT = 32;
  static final int WINDOW_BIND = 64;

  /** The number of no queue pair: opens no window. */
  static final int NO_QUEUE_PAIR = 0;

  static final long PERSISTED_BY_OWNER = 1;

  private static final int REGION = 1;
  private static final int WINDOW = 2;
  private static final long UNBOUND = 3;
  private static final int KIND_MASK = 0xff;

  private static final long ADDRESS_OFFSET = 8;
  private static final long LENGTH_OFFSET = 16;
  private static final long FLAGS_OFFSET = 24;
  private static final int SLOT_MASK = DeviceAreaLayout.MAX_REGIONS - 1;
  private static final int DRAWS = 256;
  private static final int QUEUE_PAIR_SHIFT = 32;
  private static final long FLAGS_MASK = 0xffff_ffffL;

  /** Key and domain in the first word. */
  private static final long IDENTITY_MASK = ~0xffffL;

  private final MappedMemory area;
  private final SecureRandom random;
  private int used;

  KeyTable(MappedMemory area, SecureRandom random) {
    this.area = area;
    this.random = random;
  }

  static int slot(int key) {
    return key & SLOT_MASK;
  }

  /** Owner: enters a region and returns its key. */
  synchronized int insert(int domain, int access, long address, long length, long flags) {
    int key = drawFree();
    enter(key, address, length, flags, word(key, domain, access, REGION));
    used++;
    return key;
  }

  /** Owner: takes a slot for a window and returns a first key for it. */
  synchronized int insertWindow() {
    int key = drawFree();
    area.putLongRelease(DeviceAreaLayout.keyEntry(slot(key)), UNBOUND);
    used++;
    return key;
  }

  /** Owner: another key for the slot of {@code key}, which differs from both. */
  int drawAgain(int key, int other) {
    int drawn;
    do {
      drawn = (random.nextInt() & ~SLOT_MASK) | slot(key);
    } while (drawn == key || drawn == other || drawn == 0);
    return drawn;
  }

  /** Owner: opens a window that is not bound, to the peer of one queue pair. */
  void bind(int key, int domain, WindowRange range, long flags, int queuePair) {
    long last = ((long) queuePair << QUEUE_PAIR_SHIFT) | flags;
    long word = word(key, domain, range.access(), WINDOW);
    enter(key, range.address(), range.length(), last, word);
  }

  private void enter(int key, long address, long length, long flags, long word) {
    long entry = DeviceAreaLayout.keyEntry(slot(key));
    area.putLong(entry + ADDRESS_OFFSET, address);
    area.putLong(entry + LENGTH_OFFSET, length);
    area.putLong(entry + FLAGS_OFFSET, flags);
    area.putLongRelease(entry, word);
  }

  boolean isUnbound(int slot) {
    return area.getLongAcquire(DeviceAreaLayout.keyEntry(slot)) == UNBOUND;
  }

  /**
   * Owner, or peer of {@code queuePair}: ends a window that is bound there under {@code key}. The
   * caller then waits for the hazards that name its slot.
   *
   * @return false if there is none
   */
  boolean invalidate(int key, int domain, int queuePair) {
    long entry = DeviceAreaLayout.keyEntry(slot(key));
    long word = area.getLongAcquire(entry);
    boolean isIt =
        (word & IDENTITY_MASK) == word(key, domain, 0, 0)
            && (word & KIND_MASK) == WINDOW
            && boundTo(entry) == queuePair
            && area.compareAndSetLong(entry, word, UNBOUND);
    Fences.full();
    return isIt;
  }

  /** Owner: ends whatever a window is bound to; the caller then waits for the hazards. */
  void unbind(int slot) {
    area.putLongRelease(DeviceAreaLayout.keyEntry(slot), UNBOUND);
    Fences.full();
  }

  /** Owner: gives the slot of a window back. */
  synchronized void freeWindow(int slot) {
    area.putLongRelease(DeviceAreaLayout.keyEntry(slot), 0);
    used--;
  }

  private int boundTo(long entry) {
    return (int) (area.getLong(entry + FLAGS_OFFSET) >>> QUEUE_PAIR_SHIFT);
  }

  private int drawFree() {
    if (used > DeviceAreaLayout.MAX_REGIONS / 2) {
      throw new VerbsException(
          VerbsException.Code.NO_RESOURCES,
          "the device has its " + used + " regions and windows already");
    }
    for (int draw = 0; draw < DRAWS; draw++) {
      int key = random.nextInt();
      if (key != 0 && area.getLong(DeviceAreaLayout.keyEntry(slot(key))) == 0) {
        return key;
      }
    }
    throw new VerbsException(
        VerbsException.Code.NO_RESOURCES, "no free slot for a region in " + DRAWS + " draws");
  }

  /** Owner: revokes a key; the caller then waits for the hazards that name its slot. */
  synchronized void revoke(int key) {
    area.putLongRelease(DeviceAreaLayout.keyEntry(slot(key)), 0);
    Fences.full();
    used--;
  }

  /**
   * Whether {@code key} opens [address, address + length) to the peer of {@code queuePair}, which
   * is of {@code domain}, for all of {@code access}. Means something only while the caller's
   * announced hazard names the slot.
   */
  boolean allows(int key, int domain, int queuePair, int access, long address, long length) {
    if (!allowsWhole(key, domain, queuePair, access)) {
      return false;
    }
    long entry = DeviceAreaLayout.keyEntry(slot(key));
    long first = area.getLong(entry + ADDRESS_OFFSET);
    long size = area.getLong(entry + LENGTH_OFFSET);
    return length >= 0 && address >= first && address - first <= size - length;
  }

  /** As {@link #allows}, for whatever range the key has. */
  boolean allowsWhole(int key, int domain, int queuePair, int access) {
    long entry = DeviceAreaLayout.keyEntry(slot(key));
    long word = area.getLongAcquire(entry);
    long wanted = word(key, domain, access, 0);
    if ((word & IDENTITY_MASK) != (wanted & IDENTITY_MASK) || (word & wanted) != wanted) {
      return false;
    }
    int kind = (int) word & KIND_MASK;
    return kind == REGION
        || (kind == WINDOW && queuePair != NO_QUEUE_PAIR && boundTo(entry) == queuePair);
  }

  /** Of a key that is allowed: whether only the owner can make its memory persistent. */
  boolean isPersistedByOwner(int key) {
    long entry = DeviceAreaLayout.keyEntry(slot(key));
    return (area.getLong(entry + FLAGS_OFFSET) & FLAGS_MASK & PERSISTED_BY_OWNER) != 0;
  }

  private static long word(int key, int domain, int access, int kind) {
    return ((long) key << 32) | ((long) (domain & 0xffff) << 16) | ((long) access << 8) | kind;
  }
}
