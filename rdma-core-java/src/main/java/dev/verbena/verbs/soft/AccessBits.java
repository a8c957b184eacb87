// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.AccessFlag;
import java.util.Set;

/** Access flags as {@link KeyTable} and bind entries hold them. */
final class AccessBits {
  /** What a window may allow. */
  static final int OF_A_WINDOW =
      KeyTable.REMOTE_WRITE
          | KeyTable.REMOTE_READ
          | KeyTable.REMOTE_ATOMIC
          | KeyTable.FLUSH_GLOBAL
          | KeyTable.FLUSH_PERSISTENT;

  private AccessBits() {}

  static int of(Set<AccessFlag> access) {
    int bits = 0;
    for (AccessFlag flag : access) {
      bits |=
          switch (flag) {
            case LOCAL_WRITE -> KeyTable.LOCAL_WRITE;
            case REMOTE_WRITE -> KeyTable.REMOTE_WRITE;
            case REMOTE_READ -> KeyTable.REMOTE_READ;
            case REMOTE_ATOMIC -> KeyTable.REMOTE_ATOMIC;
            case FLUSH_GLOBAL -> KeyTable.FLUSH_GLOBAL;
            case FLUSH_PERSISTENT -> KeyTable.FLUSH_PERSISTENT;
            case WINDOW_BIND -> KeyTable.WINDOW_BIND;
          };
    }
    return bits;
  }

  /** Whether it lets peers change memory, which only locally writable memory allows. */
  static boolean changesMemory(int bits) {
    return (bits & (KeyTable.REMOTE_WRITE | KeyTable.REMOTE_ATOMIC)) != 0;
  }
}
