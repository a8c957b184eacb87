// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

/** A crash after which something does not hold: says which, so that it can be had again. */
final class CrashFailure extends AssertionError {
  private static final long serialVersionUID = 1L;

  CrashFailure(String crash, Throwable cause) {
    super(crash + ": " + cause.getMessage(), cause);
  }
}
