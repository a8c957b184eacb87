// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

/**
 * A call, a transfer or a connection failed. Carries a code to decide by, a message that names the
 * object concerned, the cause if there is one, and whether the peer may have acted.
 */
public sealed class RpcException extends RuntimeException permits RemoteFailureException {
  private static final long serialVersionUID = 1L;

  /** What went wrong, by class. */
  public enum Code {
    /** The deadline passed. */
    TIMED_OUT,
    /** The connection ended; the cause is the first thing that went wrong on it. */
    DISCONNECTED,
    /** Nobody answers at that address. */
    UNREACHABLE,
    /** The handler failed or refused; {@link RemoteFailureException} has its code and message. */
    REMOTE_FAILURE,
    /** The server knows no method of that number. */
    NO_SUCH_METHOD,
    /** The two ends do not have the same secret. */
    AUTHENTICATION,
    /** The two ends have no protocol version in common. */
    VERSION,
    /** The peer sent what the protocol does not allow. */
    PROTOCOL,
    /** A bounded queue or buffer pool is full. */
    OVERLOADED,
    /** The message is longer than one of the two ends takes. */
    MESSAGE_TOO_LARGE,
    /** The peer refused a one-sided access: wrong key, range or permission. */
    REMOTE_ACCESS,
    /** The client, server or connection was closed on this side. */
    CLOSED,
    /** The waiting thread was interrupted; its interrupt flag is set again. */
    INTERRUPTED
  }

  private final Code code;
  private final boolean mayHaveRun;

  /**
   * Creates an exception.
   *
   * @param mayHaveRun false only if the peer certainly did not start what was asked for
   */
  public RpcException(Code code, boolean mayHaveRun, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
    this.mayHaveRun = mayHaveRun;
  }

  /** The class of the failure. */
  public final Code code() {
    return code;
  }

  /**
   * Whether the peer may have run the call, in full or in part. If false it was never sent or was
   * refused before it ran, and asking again is safe whatever the method does.
   */
  public final boolean mayHaveRun() {
    return mayHaveRun;
  }
}
