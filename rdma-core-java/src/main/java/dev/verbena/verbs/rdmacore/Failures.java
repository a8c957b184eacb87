// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.jni.NativeLibrary;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.VerbsException.Code;

/** Makes exceptions of what native functions return. */
final class Failures {
  /** Linux errno values, of which the code depends. */
  static final int EBADF = 9;

  static final int EAGAIN = 11;
  static final int ENOMEM = 12;
  static final int EBUSY = 16;
  static final int ENODEV = 19;
  static final int EINVAL = 22;
  static final int EMFILE = 24;
  static final int ENOSPC = 28;
  static final int EOPNOTSUPP = 95;
  static final int EADDRINUSE = 98;
  static final int EADDRNOTAVAIL = 99;
  static final int ENETUNREACH = 101;
  static final int ECONNRESET = 104;
  static final int ENOTCONN = 107;
  static final int ETIMEDOUT = 110;
  static final int ECONNREFUSED = 111;
  static final int EHOSTUNREACH = 113;

  private Failures() {}

  /** Throws if {@code result} is negative, else returns it. */
  static int check(int result, String what) {
    if (result < 0) {
      throw of(result, what);
    }
    return result;
  }

  /** Throws if {@code result} is negative, else returns it. */
  static long check(long result, String what) {
    if (result < 0) {
      throw of((int) result, what);
    }
    return result;
  }

  /** Throws if {@code result} is negative; EINVAL then means that something is still in use. */
  static void checkUnused(int result, String what) {
    if (result == -EINVAL) {
      throw of(-EBUSY, what);
    }
    check(result, what);
  }

  /** The exception for a negative result. */
  static VerbsException of(int result, String what) {
    int error = -result;
    String hint = error == ENOMEM ? "; is the limit of locked memory (ulimit -l) high enough?" : "";
    return new VerbsException(code(error), what + ": " + NativeLibrary.describe(error) + hint);
  }

  private static Code code(int error) {
    return switch (error) {
      case EBADF, EBUSY, ENOTCONN -> Code.INVALID_STATE;
      case ENOMEM, EAGAIN, ENOSPC, EMFILE -> Code.NO_RESOURCES;
      case ENODEV, EOPNOTSUPP -> Code.UNAVAILABLE;
      case EADDRINUSE, EADDRNOTAVAIL, ENETUNREACH, EHOSTUNREACH, ECONNREFUSED -> Code.UNREACHABLE;
      case ECONNRESET -> Code.DISCONNECTED;
      case ETIMEDOUT -> Code.TIMED_OUT;
      default -> Code.INVALID_ARGUMENT;
    };
  }
}
