// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.verbs.ConnectionRejectedException;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.WorkCompletion;

/** Says in terms of RPC what failed in verbs. */
final class RpcFailures {
  private RpcFailures() {}

  /** The failure that an unsuccessful completion tells of. */
  static RpcException of(WorkCompletion completion, String where) {
    RpcException.Code code =
        switch (completion.status()) {
          case REMOTE_ACCESS_ERROR -> RpcException.Code.REMOTE_ACCESS;
          case LOCAL_LENGTH_ERROR, REMOTE_INVALID_REQUEST -> RpcException.Code.PROTOCOL;
          default -> RpcException.Code.DISCONNECTED;
        };
    return new RpcException(code, true, where + ": " + completion, null);
  }

  /** The peer ended the connection, or died. */
  static RpcException peerGone(String where) {
    return new RpcException(
        RpcException.Code.DISCONNECTED, true, where + ": the peer disconnected", null);
  }

  /** The peer sent what it must not. */
  static RpcException protocol(String where, String what) {
    return new RpcException(RpcException.Code.PROTOCOL, true, where + ": " + what, null);
  }

  /** What everything open on a connection ends with that broke for that cause. */
  static RpcException broken(RpcException cause, boolean mayHaveRun) {
    RpcException.Code code =
        cause.code() == RpcException.Code.CLOSED
            ? RpcException.Code.CLOSED
            : RpcException.Code.DISCONNECTED;
    return new RpcException(
        code, mayHaveRun, "the connection is broken: " + cause.getMessage(), cause);
  }

  /** A verb failed on an existing connection. */
  static RpcException of(VerbsException failure, String where) {
    RpcException.Code code =
        switch (failure.code()) {
          case REJECTED -> RpcException.Code.REMOTE_ACCESS;
          case PROTOCOL -> RpcException.Code.PROTOCOL;
          case NO_RESOURCES -> RpcException.Code.OVERLOADED;
          case TIMED_OUT -> RpcException.Code.TIMED_OUT;
          default -> RpcException.Code.DISCONNECTED;
        };
    return new RpcException(code, true, where + ": " + failure.getMessage(), failure);
  }

  /** A connect failed; nothing ran. */
  static RpcException ofConnect(VerbsException failure, String where) {
    RpcException.Code code =
        switch (failure.code()) {
          case UNREACHABLE, DISCONNECTED -> RpcException.Code.UNREACHABLE;
          case TIMED_OUT -> RpcException.Code.TIMED_OUT;
          case NO_RESOURCES -> RpcException.Code.OVERLOADED;
          case REJECTED, PROTOCOL -> RpcException.Code.PROTOCOL;
          default -> RpcException.Code.DISCONNECTED;
        };
    if (failure instanceof ConnectionRejectedException rejected) {
      MessageStatus status = RejectData.decode(rejected.privateData());
      code = status == null ? code : ofRefusal(status);
    }
    return new RpcException(code, false, where + ": " + failure.getMessage(), failure);
  }

  /** The code for a handshake that the server refused. */
  static RpcException.Code ofRefusal(MessageStatus status) {
    return switch (status) {
      case VERSION -> RpcException.Code.VERSION;
      case AUTHENTICATION -> RpcException.Code.AUTHENTICATION;
      case OVERLOADED -> RpcException.Code.OVERLOADED;
      default -> RpcException.Code.PROTOCOL;
    };
  }
}
