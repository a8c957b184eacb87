// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

/** An operation of the loopback did not do what it should. */
final class LoopbackException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LoopbackException(String message) {
    super(message);
  }
}
