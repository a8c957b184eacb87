// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.store.StoreException;
import java.nio.ByteBuffer;

/**
 * The layout of a call whose argument is an entry of a log, appended before. Big-endian, as all of
 * RPC. The answer is the service's.
 *
 * <pre>
 *  request
 *     0 |  version:32   |     log:32    |
 *     8 |           grant:64            |  the run that the entry is in
 *    16 |          ordinal:64           |
 *    24 | the rest of the request       |  for the service
 * </pre>
 */
final class ArgumentLayout {
  private static final int HEADER_BYTES = 24;

  /**
   * A request.
   *
   * @param log the log's number
   * @param grant number of the grant on this connection
   * @param ordinal of the entry
   * @param rest for the service
   */
  record Request(int log, long grant, long ordinal, ByteBuffer rest) {}

  private ArgumentLayout() {}

  static ByteBuffer encode(Request request) {
    return ByteBuffer.allocate(HEADER_BYTES + request.rest().remaining())
        .putInt(GrantLayout.VERSION)
        .putInt(request.log())
        .putLong(request.grant())
        .putLong(request.ordinal())
        .put(request.rest().duplicate())
        .flip();
  }

  /**
   * Reads a request.
   *
   * @throws StoreException REJECTED, INVALID_ARGUMENT
   */
  static Request request(ByteBuffer bytes) {
    WireReader in =
        new WireReader(bytes, "a call with a durable argument").version(GrantLayout.VERSION);
    int log = in.getInt();
    long grant = in.getLong();
    long ordinal = in.getLong();
    return new Request(log, grant, ordinal, in.rest());
  }
}
