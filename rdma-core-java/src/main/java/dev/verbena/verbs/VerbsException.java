// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

/** A verb failed. Carries a code, the object concerned (in the message) and the cause. */
public class VerbsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What went wrong, by class: callers decide by it whether to retry, fall back or give up. */
  public enum Code {
    /** An argument is out of the device's limits or contradicts another. */
    INVALID_ARGUMENT,
    /** The object is in a state that does not allow the verb. */
    INVALID_STATE,
    /** The send queue has no room; post again after polling completions. */
    SEND_QUEUE_FULL,
    /** The receive queue has no room. */
    RECEIVE_QUEUE_FULL,
    /** Memory, disk or table space is used up. */
    NO_RESOURCES,
    /** The deadline passed. */
    TIMED_OUT,
    /** Nobody listens there, or the network refuses. */
    UNREACHABLE,
    /** The peer said no. */
    REJECTED,
    /** The peer speaks another version, or sent what can't be understood. */
    PROTOCOL,
    /** The peer or the connection is gone. */
    DISCONNECTED,
    /** The provider, or this feature of it, can't be had on this machine. */
    UNAVAILABLE
  }

  private final Code code;

  /** Creates an exception without a cause. */
  public VerbsException(Code code, String message) {
    this(code, message, null);
  }

  /** Creates an exception with the failure behind it. */
  public VerbsException(Code code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  /** The class of the failure. */
  public final Code code() {
    return code;
  }
}
