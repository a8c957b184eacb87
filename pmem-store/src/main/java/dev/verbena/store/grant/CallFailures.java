// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.rpc.RemoteFailureException;
import dev.verbena.rpc.RpcException;
import dev.verbena.store.StoreException;

/** Says in the store's terms what a call or a one-sided write failed of. */
final class CallFailures {
  private CallFailures() {}

  static StoreException of(String where, RpcException cause) {
    return new StoreException(codeOf(cause), where + ": " + cause.getMessage(), cause);
  }

  private static StoreException.Code codeOf(RpcException cause) {
    if (cause instanceof RemoteFailureException failure) {
      return WireFailure.codeOf(failure.failureCode());
    }
    return switch (cause.code()) {
      case TIMED_OUT -> StoreException.Code.TIMED_OUT;
      // The key was good when it was told: the store took it back.
      case REMOTE_ACCESS -> StoreException.Code.NOT_GRANTED;
      case INTERRUPTED -> StoreException.Code.INTERRUPTED;
      case AUTHENTICATION, VERSION, REMOTE_FAILURE, NO_SUCH_METHOD, PROTOCOL ->
          StoreException.Code.REJECTED;
      case CLOSED, DISCONNECTED, UNREACHABLE, OVERLOADED, MESSAGE_TOO_LARGE ->
          StoreException.Code.DISCONNECTED;
    };
  }
}
