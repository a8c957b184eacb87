// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

/**
 * Handles by key, without an object a look-up: binds name their window and region by keys. Open
 * addressing with linear probing; removing moves the entries behind into the gap.
 */
final class HandleMap {
  /** Fibonacci hashing: keys of a device differ in few bits. */
  private static final int SPREAD = 0x9e37_79b9;

  private int[] keys = new int[64];
  private long[] handles = new long[keys.length];
  private int count;

  /** The handle under a key; 0, which is no handle, if there is none. */
  synchronized long get(int key) {
    return handles[find(key)];
  }

  synchronized void put(int key, long handle) {
    if (2 * (count + 1) > keys.length) {
      grow();
    }
    int at = find(key);
    count += handles[at] == 0 ? 1 : 0;
    keys[at] = key;
    handles[at] = handle;
  }

  /**
   * Removes a handle from under its key; nothing if another one is there, as a device may give out
   * the key of what has ended at once.
   */
  synchronized void remove(int key, long handle) {
    int gap = find(key);
    if (handles[gap] != handle) {
      return;
    }
    count--;
    int mask = keys.length - 1;
    for (int at = (gap + 1) & mask; handles[at] != 0; at = (at + 1) & mask) {
      int home = home(keys[at]);
      if (((at - home) & mask) >= ((at - gap) & mask)) {
        keys[gap] = keys[at];
        handles[gap] = handles[at];
        gap = at;
      }
    }
    handles[gap] = 0;
  }

  private int find(int key) {
    int mask = keys.length - 1;
    int at = home(key);
    while (handles[at] != 0 && keys[at] != key) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private int home(int key) {
    int spread = key * SPREAD;
    return (spread ^ spread >>> 16) & (keys.length - 1);
  }

  private void grow() {
    int[] oldKeys = keys;
    long[] oldHandles = handles;
    keys = new int[2 * oldKeys.length];
    handles = new long[keys.length];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldHandles[i] != 0) {
        int at = find(oldKeys[i]);
        keys[at] = oldKeys[i];
        handles[at] = oldHandles[i];
      }
    }
  }
}
