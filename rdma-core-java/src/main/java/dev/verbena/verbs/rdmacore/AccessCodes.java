// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.verbs.AccessFlag;
import java.util.Set;

/** Access flags as enum ibv_access_flags has them. */
final class AccessCodes {
  static final int LOCAL_WRITE = 1;
  static final int REMOTE_WRITE = 1 << 1;
  static final int REMOTE_READ = 1 << 2;
  static final int REMOTE_ATOMIC = 1 << 3;
  static final int WINDOW_BIND = 1 << 4;
  static final int FLUSH_GLOBAL = 1 << 8;
  static final int FLUSH_PERSISTENT = 1 << 9;

  private static final int OF_A_WINDOW =
      REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC | FLUSH_GLOBAL | FLUSH_PERSISTENT;

  private AccessCodes() {}

  static int of(Set<AccessFlag> access) {
    int bits = 0;
    for (AccessFlag flag : access) {
      bits |= of(flag);
    }
    return bits;
  }

  private static int of(AccessFlag flag) {
    return switch (flag) {
      case LOCAL_WRITE -> LOCAL_WRITE;
      case REMOTE_WRITE -> REMOTE_WRITE;
      case REMOTE_READ -> REMOTE_READ;
      case REMOTE_ATOMIC -> REMOTE_ATOMIC;
      case FLUSH_GLOBAL -> FLUSH_GLOBAL;
      case FLUSH_PERSISTENT -> FLUSH_PERSISTENT;
      case WINDOW_BIND -> WINDOW_BIND;
    };
  }

  /** Whether peers may change what is there. */
  static boolean changesMemory(int bits) {
    return (bits & (REMOTE_WRITE | REMOTE_ATOMIC)) != 0;
  }

  /** Whether a window can allow that. */
  static boolean suitsWindow(int bits) {
    return (bits & ~OF_A_WINDOW) == 0;
  }
}
