// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.store.MapOutputKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The layout of the call that asks for space. Big-endian, as all of RPC.
 *
 * <pre>
 *  request
 *     0 |  version:32   | application:32|  bytes of the application's id
 *     8 |     least payload:64          |
 *    16 |    wanted payload:64          |
 *    24 |  application id, UTF-8        |
 *
 *  response
 *     0 |  version:32   |    flags:16 | domain:16 |  FLUSH 1, READ 2
 *     8 |           grant:64            |
 *    16 |         lease, ms:64          |
 *    24 | record key:32 | word key:32   |
 *    32 |       record address:64       |
 *    40 |        word address:64        |
 *    48 |      payload capacity:64      |
 *    56 |         sequence:64           |  for the record's header
 * </pre>
 *
 * The domain is what the pool promises: 0 PROCESS, 1 OS_CRASH, 2 POWER. The flags tell by what a
 * writer's own device gets its WRITEs there: FLUSH, a READ behind them. Without either the store
 * does it, asked by a call: see {@link PersistLayout}.
 */
final class GrantLayout {
  /** The method's number. */
  static final int METHOD = 2;

  /** Version of all calls about grants. */
  static final int VERSION = 1;

  private static final int REQUEST_BYTES = 24;
  private static final int RESPONSE_BYTES = 64;
  private static final int FLUSH_SUFFICES = 1;
  private static final int READ_SUFFICES = 1 << 1;

  /** By their numbers. */
  private static final List<DurabilityDomain> DOMAINS =
      List.of(DurabilityDomain.PROCESS, DurabilityDomain.OS_CRASH, DurabilityDomain.POWER);

  /**
   * A request.
   *
   * @param application whose output will be written
   * @param least bytes of payload it must have room for
   * @param wanted bytes of payload that would be best
   */
  record Request(String application, long least, long wanted) {}

  /**
   * A response.
   *
   * @param flush whether the keys allow FLUSH, which takes WRITEs to the domain
   * @param read whether a READ behind WRITEs takes them to the domain
   * @param domain what the pool promises
   * @param grant its number on this connection
   * @param leaseMillis how long it lasts unless renewed
   * @param recordKey opens the record
   * @param wordKey opens the publish word
   * @param recordAddress of the record's first byte
   * @param wordAddress of the publish word
   * @param capacity bytes of payload
   * @param sequence for the record's header
   */
  record Response(
      boolean flush,
      boolean read,
      DurabilityDomain domain,
      long grant,
      long leaseMillis,
      int recordKey,
      int wordKey,
      long recordAddress,
      long wordAddress,
      long capacity,
      long sequence) {}

  private GrantLayout() {}

  static ByteBuffer encode(Request request) {
    byte[] name = request.application().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(REQUEST_BYTES + name.length)
        .putInt(VERSION)
        .putInt(name.length)
        .putLong(request.least())
        .putLong(request.wanted())
        .put(name)
        .flip();
  }

  static Request request(ByteBuffer bytes) {
    WireReader in = new WireReader(bytes, "a request for a grant").version(VERSION);
    int name = in.getInt();
    long least = in.getLong();
    in.check(least >= 0, "least", least);
    long wanted = in.getLong();
    in.check(wanted >= least, "wanted", wanted);
    in.check(name > 0 && name <= MapOutputKey.MAX_APPLICATION_BYTES, "application bytes", name);
    String application = in.string(name);
    in.end();
    return new Request(application, least, wanted);
  }

  static ByteBuffer encode(Response response) {
    return ByteBuffer.allocate(RESPONSE_BYTES)
        .putInt(VERSION)
        .putShort((short) flags(response))
        .putShort((short) DOMAINS.indexOf(response.domain()))
        .putLong(response.grant())
        .putLong(response.leaseMillis())
        .putInt(response.recordKey())
        .putInt(response.wordKey())
        .putLong(response.recordAddress())
        .putLong(response.wordAddress())
        .putLong(response.capacity())
        .putLong(response.sequence())
        .flip();
  }

  private static int flags(Response response) {
    return (response.flush() ? FLUSH_SUFFICES : 0) | (response.read() ? READ_SUFFICES : 0);
  }

  static Response response(ByteBuffer bytes) {
    WireReader in = new WireReader(bytes, "a grant");
    Response response = response(in);
    in.end();
    return response;
  }

  /** The response that a message begins with. */
  static Response response(WireReader in) {
    in.version(VERSION);
    int flagsAndDomain = in.getInt();
    int domain = flagsAndDomain & 0xffff;
    in.check(domain < DOMAINS.size(), "domain", domain);
    long grant = in.getLong();
    long lease = in.getLong();
    in.check(lease > 0, "lease", lease);
    int recordKey = in.getInt();
    int wordKey = in.getInt();
    long recordAddress = in.getLong();
    long wordAddress = in.getLong();
    long capacity = in.getLong();
    in.check(capacity > 0, "capacity", capacity);
    long sequence = in.getLong();
    return new Response(
        (flagsAndDomain >>> Short.SIZE & FLUSH_SUFFICES) != 0,
        (flagsAndDomain >>> Short.SIZE & READ_SUFFICES) != 0,
        DOMAINS.get(domain),
        grant,
        lease,
        recordKey,
        wordKey,
        recordAddress,
        wordAddress,
        capacity,
        sequence);
  }
}
