// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.store.StoreException;
import java.nio.ByteBuffer;

/**
 * The layout of the call that has the store make durable what was written into a grant. Big-endian,
 * as all of RPC. The answer is empty.
 *
 * <pre>
 *  request
 *     0 |  version:32   |    what:32    |  0 bytes of records, 1 publish words
 *     8 |           grant:64            |
 *    16 |         position:64           |  in bytes, from the record's or the word's address
 *    24 |          length:64            |
 * </pre>
 */
final class PersistLayout {
  /** The method's number. */
  static final int METHOD = 7;

  private static final int REQUEST_BYTES = 32;
  private static final int RECORDS = 0;
  private static final int WORDS = 1;

  /**
   * A request.
   *
   * @param words whether it is of publish words
   * @param grant its number on this connection
   * @param position of the first byte
   * @param length in bytes
   */
  record Request(boolean words, long grant, long position, long length) {}

  private PersistLayout() {}

  static ByteBuffer encode(Request request) {
    return ByteBuffer.allocate(REQUEST_BYTES)
        .putInt(GrantLayout.VERSION)
        .putInt(request.words() ? WORDS : RECORDS)
        .putLong(request.grant())
        .putLong(request.position())
        .putLong(request.length())
        .flip();
  }

  /**
   * Reads a request.
   *
   * @throws StoreException REJECTED, INVALID_ARGUMENT
   */
  static Request request(ByteBuffer bytes) {
    WireReader in = new WireReader(bytes, "a request to persist").version(GrantLayout.VERSION);
    int what = in.getInt();
    in.check(what == RECORDS || what == WORDS, "what", what);
    long grant = in.getLong();
    long position = in.getLong();
    long length = in.getLong();
    in.end();
    return new Request(what == WORDS, grant, position, length);
  }
}
