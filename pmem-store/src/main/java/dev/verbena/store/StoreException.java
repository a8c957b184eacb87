// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

/**
 * Something failed in the store. Carries a code, the object concerned (in the message), the cause.
 */
public class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What went wrong, by class: callers decide by it whether to retry, fall back or give up. */
  public enum Code {
    /** An argument is out of range or contradicts another. */
    INVALID_ARGUMENT,
    /** Every pool is used up, and so is the space to make another. */
    POOL_FULL,
    /** The application has used up what it may. */
    QUOTA_EXCEEDED,
    /** The file is no pool, of another version, truncated, or its header is damaged. */
    POOL_INVALID,
    /** A live process, maybe this one, owns the pool. */
    POOL_OWNED,
    /** The file system failed. */
    IO,
    /** The durability asked for is above the pool's ceiling. */
    DURABILITY_UNAVAILABLE,
    /** Stored bytes do not match their checksum. */
    CORRUPT,
    /** There is no such map output. */
    NOT_FOUND,
    /** The space was not granted to who wants to write it, or was taken back. */
    NOT_GRANTED,
    /** The writer, reader or store was closed. */
    CLOSED,
    /** The deadline passed. */
    TIMED_OUT,
    /** The peer refused: authentication, version, or incarnation. */
    REJECTED,
    /** The peer can't be reached, or the connection to it is gone. */
    DISCONNECTED,
    /** The waiting thread was interrupted; its interrupt flag is set again. */
    INTERRUPTED
  }

  private final Code code;

  /** Creates an exception without a cause. */
  public StoreException(Code code, String message) {
    this(code, message, null);
  }

  /** Creates an exception with the failure behind it. */
  public StoreException(Code code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  /** The class of the failure. */
  public final Code code() {
    return code;
  }
}
