// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import java.util.concurrent.locks.StampedLock;

/**
 * Objects by key, without an object a look-up: requests name regions and windows by keys. Who looks
 * up takes no lock, unless somebody writes meanwhile. Open addressing with linear probing; removing
 * moves the entries behind into the gap.
 */
final class KeyMap<T> {
  /** Fibonacci hashing: keys of a device differ in few bits. */
  private static final int SPREAD = 0x9e37_79b9;

  private static final int FIRST_SIZE = 64;

  /** What belongs together: a reader that races with a writer must not mix two sizes. */
  private record Table(int[] keys, Object[] values) {
    Table(int size) {
      this(new int[size], new Object[size]);
    }

    int mask() {
      return keys.length - 1;
    }

    int home(int key) {
      int spread = key * SPREAD;
      return (spread ^ spread >>> 16) & mask();
    }

    /** Where the key is, or the empty place where it would be. */
    int find(int key) {
      int at = home(key);
      // Bounded, since a reader may see the table in the middle of a change.
      for (int i = 0; i < keys.length && values[at] != null && keys[at] != key; i++) {
        at = (at + 1) & mask();
      }
      return at;
    }

    Object get(int key) {
      int at = find(key);
      return keys[at] == key ? values[at] : null;
    }

    void set(int at, int key, Object value) {
      keys[at] = key;
      values[at] = value;
    }
  }

  private final StampedLock lock = new StampedLock();
  private Table table = new Table(FIRST_SIZE);
  private int count;

  /** The object under a key; null if there is none. */
  @SuppressWarnings("unchecked") // only objects of this type are put in
  T get(int key) {
    long stamp = lock.tryOptimisticRead();
    if (stamp != 0) {
      Object found = table.get(key);
      if (lock.validate(stamp)) {
        return (T) found;
      }
    }
    stamp = lock.readLock();
    try {
      return (T) table.get(key);
    } finally {
      lock.unlockRead(stamp);
    }
  }

  void put(int key, T value) {
    long stamp = lock.writeLock();
    try {
      if (2 * (count + 1) > table.keys().length) {
        grow();
      }
      int at = table.find(key);
      count += table.values()[at] == null ? 1 : 0;
      table.set(at, key, value);
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  /**
   * Removes an object from under its key; nothing if another one is there, as a device may give out
   * the key of what has ended at once.
   */
  void remove(int key, T value) {
    long stamp = lock.writeLock();
    try {
      int at = table.find(key);
      if (table.values()[at] == value) {
        removeAt(at);
      }
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  private void removeAt(int from) {
    int gap = from;
    int mask = table.mask();
    int[] keys = table.keys();
    Object[] values = table.values();
    count--;
    for (int at = (gap + 1) & mask; values[at] != null; at = (at + 1) & mask) {
      int home = table.home(keys[at]);
      if (((at - home) & mask) >= ((at - gap) & mask)) {
        table.set(gap, keys[at], values[at]);
        gap = at;
      }
    }
    values[gap] = null;
  }

  private void grow() {
    Table old = table;
    Table next = new Table(2 * old.keys().length);
    for (int i = 0; i < old.keys().length; i++) {
      if (old.values()[i] != null) {
        next.set(next.find(old.keys()[i]), old.keys()[i], old.values()[i]);
      }
    }
    table = next;
  }
}
