// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.store.MapOutputKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The layout of the call that asks for space for entries of a log. Big-endian, as all of RPC.
 *
 * <pre>
 *  request
 *     0 |  version:32   | application:32|  bytes of the application's id
 *     8 |    log:32     |   zeros:32    |
 *    16 |    least payload:64           |  that one entry must have room for
 *    24 |     wanted bytes:64           |  of all entries, headers and rounding included
 *    32 |  application id, UTF-8        |
 *
 *  response
 *     0 |  a grant (64)                 |  see GrantLayout; its word key opens a word each 4 KiB
 *    64 |  first ordinal:64             |
 * </pre>
 *
 * The entry that starts in chunk n of the run has the sequence of the grant and the first ordinal,
 * plus n each, and the publish word at 8 n from the word address.
 */
final class LogRunLayout {
  /** The method's number. */
  static final int METHOD = 6;

  private static final int REQUEST_BYTES = 32;

  /**
   * A request.
   *
   * @param application whose log it is
   * @param log its number
   * @param least bytes of payload that one entry must have room for
   * @param wanted bytes in all that would be best
   */
  record Request(String application, int log, long least, long wanted) {}

  /**
   * A response.
   *
   * @param grant the space
   * @param firstOrdinal of an entry in the first chunk
   */
  record Response(GrantLayout.Response grant, long firstOrdinal) {}

  private LogRunLayout() {}

  static ByteBuffer encode(Request request) {
    byte[] name = request.application().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(REQUEST_BYTES + name.length)
        .putInt(GrantLayout.VERSION)
        .putInt(name.length)
        .putInt(request.log())
        .putInt(0)
        .putLong(request.least())
        .putLong(request.wanted())
        .put(name)
        .flip();
  }

  static Request request(ByteBuffer bytes) {
    WireReader in =
        new WireReader(bytes, "a request for space in a log").version(GrantLayout.VERSION);
    int name = in.getInt();
    int log = in.getInt();
    in.getInt();
    long least = in.getLong();
    in.check(least >= 0, "least", least);
    long wanted = in.getLong();
    in.check(wanted >= least, "wanted", wanted);
    in.check(name > 0 && name <= MapOutputKey.MAX_APPLICATION_BYTES, "application bytes", name);
    String application = in.string(name);
    in.end();
    return new Request(application, log, least, wanted);
  }

  static ByteBuffer encode(Response response) {
    ByteBuffer grant = GrantLayout.encode(response.grant());
    return ByteBuffer.allocate(grant.remaining() + Long.BYTES)
        .put(grant)
        .putLong(response.firstOrdinal())
        .flip();
  }

  static Response response(ByteBuffer bytes) {
    WireReader in = new WireReader(bytes, "space in a log");
    GrantLayout.Response grant = GrantLayout.response(in);
    long firstOrdinal = in.getLong();
    in.check(firstOrdinal >= 0, "first ordinal", firstOrdinal);
    in.end();
    return new Response(grant, firstOrdinal);
  }
}
