// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.store.StoreException;
import java.nio.ByteBuffer;

/**
 * The layout of the call that removes map outputs. Big-endian, as all of RPC. The application is
 * the one that the server serves; where it serves any, the call fails.
 *
 * <pre>
 *  request
 *     0 |  shuffle:32   |  scope:32     |  {@link #ONE} or {@link #SHUFFLE}
 *     8 |        map attempt:64         |  of scope ONE
 *
 *  response
 *     0 |  removed:32   |
 * </pre>
 */
final class RemovalLayout {
  /** The method's number. */
  static final int METHOD = 8;

  /** Failure code: the server is no application's own. */
  static final int FAILURE_SHARED = 1;

  /** Failure code: the request is malformed, or the store failed. */
  static final int FAILURE = 2;

  /** Scope: one map output. */
  static final int ONE = 1;

  /** Scope: all of a shuffle. */
  static final int SHUFFLE = 2;

  private static final int SHUFFLE_AT = 0;
  private static final int SCOPE_AT = 4;
  private static final int ATTEMPT_AT = 8;
  private static final int REQUEST_BYTES = 16;
  private static final int RESPONSE_BYTES = 4;

  /**
   * What is to be removed.
   *
   * @param scope how much of it
   * @param mapAttempt 0 of scope SHUFFLE
   */
  record Request(int shuffle, int scope, long mapAttempt) {}

  private RemovalLayout() {}

  static ByteBuffer encode(Request request) {
    return ByteBuffer.allocate(REQUEST_BYTES)
        .putInt(SHUFFLE_AT, request.shuffle())
        .putInt(SCOPE_AT, request.scope())
        .putLong(ATTEMPT_AT, request.mapAttempt());
  }

  /**
   * Reads a request, of which nothing is trusted.
   *
   * @throws StoreException INVALID_ARGUMENT
   */
  static Request request(ByteBuffer request) {
    ByteBuffer in = request.slice();
    if (in.remaining() != REQUEST_BYTES) {
      throw malformed("length", in.remaining());
    }
    Request read = new Request(in.getInt(SHUFFLE_AT), in.getInt(SCOPE_AT), in.getLong(ATTEMPT_AT));
    if (read.scope() != ONE && read.scope() != SHUFFLE) {
      throw malformed("scope", read.scope());
    }
    return read;
  }

  static ByteBuffer response(int removed) {
    return ByteBuffer.allocate(RESPONSE_BYTES).putInt(0, removed);
  }

  /**
   * Reads a response.
   *
   * @throws StoreException REJECTED if it is none
   */
  static int removed(ByteBuffer response) {
    if (response.remaining() != RESPONSE_BYTES) {
      throw new StoreException(
          StoreException.Code.REJECTED, "removal response: length is " + response.remaining());
    }
    return response.getInt(response.position());
  }

  private static StoreException malformed(String what, long found) {
    return new StoreException(
        StoreException.Code.INVALID_ARGUMENT, "removal request: " + what + " is " + found);
  }
}
