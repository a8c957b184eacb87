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
 *   |  key          |  protection    |  access    |  valid: 1  |   0
 *   |               |  domain        |  flags     |  else 0    |
 *   +---------------+----------------+------------+------------+
 *   |  address of the first byte ({@link Iova})                |   8
 *   +----------------------------------------------------------+
 *   |  length in bytes                                         |  16
 *   +----------------------------------------------------------+
 *   |  flags: 1 if a persistent FLUSH needs the owner          |  24
 *   +----------------------------------------------------------+
 * </pre>
 *
 * The first word is stored last, with release; storing 0 there revokes the key.
 */
final class KeyTable {
  static final int LOCAL_WRITE = 1;
  static final int REMOTE_WRITE = 2;
  static final int REMOTE_READ = 4;
  static final int REMOTE_ATOMIC = 8;
  static final int FLUSH_GLOBAL = 16;
  static final int FLUSH_PERSISTENT = 32;

  static final long PERSISTED_BY_OWNER = 1;

  private static final long ADDRESS_OFFSET = 8;
  private static final long LENGTH_OFFSET = 16;
  private static final long FLAGS_OFFSET = 24;
  private static final int SLOT_MASK = DeviceAreaLayout.MAX_REGIONS - 1;
  private static final int DRAWS = 256;
  private static final long ACCESS_MASK = 0xff00;

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
    if (used > DeviceAreaLayout.MAX_REGIONS / 2) {
      throw new VerbsException(
          VerbsException.Code.NO_RESOURCES, "the device has its " + used + " regions already");
    }
    for (int draw = 0; draw < DRAWS; draw++) {
      int key = random.nextInt();
      long entry = DeviceAreaLayout.keyEntry(slot(key));
      if (key != 0 && area.getLong(entry) == 0) {
        area.putLong(entry + ADDRESS_OFFSET, address);
        area.putLong(entry + LENGTH_OFFSET, length);
        area.putLong(entry + FLAGS_OFFSET, flags);
        area.putLongRelease(entry, word(key, domain, access));
        used++;
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
   * Whether {@code key} opens [address, address + length) to a queue pair of {@code domain} for all
   * of {@code access}. Means something only while the caller's announced hazard names the slot.
   */
  boolean allows(int key, int domain, int access, long address, long length) {
    if (!allowsWhole(key, domain, access)) {
      return false;
    }
    long entry = DeviceAreaLayout.keyEntry(slot(key));
    long first = area.getLong(entry + ADDRESS_OFFSET);
    long size = area.getLong(entry + LENGTH_OFFSET);
    return length >= 0 && address >= first && length <= size && address - first <= size - length;
  }

  /** As {@link #allows}, for whatever range the key has. */
  boolean allowsWhole(int key, int domain, int access) {
    long word = area.getLongAcquire(DeviceAreaLayout.keyEntry(slot(key)));
    long wanted = word(key, domain, access);
    return (word & ~ACCESS_MASK) == (wanted & ~ACCESS_MASK) && (word & wanted) == wanted;
  }

  /** Of a key that is allowed: whether only the owner can make its memory persistent. */
  boolean isPersistedByOwner(int key) {
    long entry = DeviceAreaLayout.keyEntry(slot(key));
    return (area.getLong(entry + FLAGS_OFFSET) & PERSISTED_BY_OWNER) != 0;
  }

  private static long word(int key, int domain, int access) {
    return ((long) key << 32) | ((long) (domain & 0xffff) << 16) | ((long) access << 8) | 1;
  }
}
