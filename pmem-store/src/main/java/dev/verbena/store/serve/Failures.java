// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.rpc.RpcException;
import dev.verbena.store.StoreException;
import dev.verbena.verbs.VerbsException;

/** Says in the store's terms what went wrong below. */
final class Failures {
  private Failures() {}

  static StoreException of(StoreEndpoint peer, RpcException cause) {
    StoreException.Code code =
        switch (cause.code()) {
          case TIMED_OUT -> StoreException.Code.TIMED_OUT;
          case AUTHENTICATION, VERSION, REMOTE_FAILURE, NO_SUCH_METHOD, REMOTE_ACCESS, PROTOCOL ->
              StoreException.Code.REJECTED;
          case INTERRUPTED -> StoreException.Code.INTERRUPTED;
          case CLOSED, DISCONNECTED, UNREACHABLE, OVERLOADED, MESSAGE_TOO_LARGE ->
              StoreException.Code.DISCONNECTED;
        };
    return new StoreException(code, describe(peer) + ": " + cause.getMessage(), cause);
  }

  static StoreException of(StoreEndpoint peer, VerbsException cause) {
    StoreException.Code code =
        switch (cause.code()) {
          case TIMED_OUT -> StoreException.Code.TIMED_OUT;
          case REJECTED, PROTOCOL -> StoreException.Code.REJECTED;
          case INVALID_ARGUMENT, INVALID_STATE, UNAVAILABLE -> StoreException.Code.INVALID_ARGUMENT;
          case DISCONNECTED, UNREACHABLE, NO_RESOURCES, SEND_QUEUE_FULL, RECEIVE_QUEUE_FULL ->
              StoreException.Code.DISCONNECTED;
        };
    return new StoreException(code, describe(peer) + ": " + cause.getMessage(), cause);
  }

  /** Whatever it is: who reads goes on in another way. */
  static StoreException of(StoreEndpoint peer, Throwable cause) {
    if (cause instanceof StoreException known) {
      return known;
    }
    if (cause instanceof RpcException failure) {
      return of(peer, failure);
    }
    if (cause instanceof VerbsException failure) {
      return of(peer, failure);
    }
    return new StoreException(
        StoreException.Code.DISCONNECTED, describe(peer) + ": reading failed: " + cause, cause);
  }

  static StoreException notFound(StoreEndpoint peer, BlockRange range) {
    return new StoreException(
        StoreException.Code.NOT_FOUND, describe(peer) + " has no " + range.output());
  }

  static StoreException gone(StoreEndpoint peer, BlockRange range) {
    return new StoreException(
        StoreException.Code.NOT_FOUND,
        describe(peer) + ": " + range.output() + " was removed while it was read");
  }

  static String describe(StoreEndpoint peer) {
    return "store " + peer.name() + " at " + peer.addresses();
  }
}
