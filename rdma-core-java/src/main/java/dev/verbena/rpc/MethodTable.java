// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.util.Arrays;
import java.util.Map;

/** Finds a method by number without boxing it. Immutable. */
final class MethodTable {
  private final int[] numbers;
  private final RpcMethods.Entry[] entries;

  MethodTable(Map<Integer, RpcMethods.Entry> methods) {
    numbers = methods.keySet().stream().mapToInt(Integer::intValue).sorted().toArray();
    entries = Arrays.stream(numbers).mapToObj(methods::get).toArray(RpcMethods.Entry[]::new);
  }

  /** The method; null if there is none. */
  RpcMethods.Entry find(int method) {
    int index = Arrays.binarySearch(numbers, method);
    return index < 0 ? null : entries[index];
  }
}
