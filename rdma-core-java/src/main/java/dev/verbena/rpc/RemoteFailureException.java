// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

/** The remote handler failed: it said so by {@link RpcCall#fail}, or threw. */
public final class RemoteFailureException extends RpcException {
  private static final long serialVersionUID = 1L;

  /** The failure code of a handler that threw instead of saying why. */
  public static final int HANDLER_THREW = -1;

  private final int failureCode;

  /** Creates the exception; the message is the handler's own. */
  public RemoteFailureException(int failureCode, String message) {
    super(Code.REMOTE_FAILURE, true, message, null);
    this.failureCode = failureCode;
  }

  /** The code that the handler gave, or {@link #HANDLER_THREW}. */
  public int failureCode() {
    return failureCode;
  }
}
