// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

/** The local buffers of a work request: ibv_sge. Reused; package-private storage, no allocation. */
final class ScatterGatherList {
  private final long[] addresses;
  private final int[] lengths;
  private final int[] keys;
  private int count;

  ScatterGatherList(int capacity) {
    addresses = new long[capacity];
    lengths = new int[capacity];
    keys = new int[capacity];
  }

  void clear() {
    count = 0;
  }

  void add(long address, int length, int key) {
    if (count == addresses.length) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "more than the " + addresses.length + " buffers this request was made for");
    }
    if (length < 0) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT, "buffer length " + length + ", expected >= 0");
    }
    addresses[count] = address;
    lengths[count] = length;
    keys[count] = key;
    count++;
  }

  int count() {
    return count;
  }

  long address(int i) {
    return addresses[i];
  }

  int length(int i) {
    return lengths[i];
  }

  int key(int i) {
    return keys[i];
  }
}
