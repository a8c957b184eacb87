// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.store.StoreException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The layout of the one call that a store answers: attach. Big-endian, as all of RPC.
 *
 * <pre>
 *  request
 *     0 | wire version:32 |
 *
 *  response
 *     0 | wire version:32 |   pools:32    |
 *     8 |     index descriptor:64         |  a Location
 *    16 | for each pool (24)              |
 *       |   number:32     |  remote key:32 |
 *       |         address:64              |  of the pool's first byte
 *       |         length:64               |
 * </pre>
 */
final class AttachLayout {
  /** The method's number. */
  static final int METHOD = 1;

  /** Failure code: the caller's wire version is not spoken here. */
  static final int FAILURE_VERSION = 1;

  static final int REQUEST_BYTES = 4;

  private static final int VERSION_AT = 0;
  private static final int POOLS_AT = 4;
  private static final int DESCRIPTOR_AT = 8;
  private static final int HEADER_BYTES = 16;
  private static final int POOL_BYTES = 24;
  private static final int POOL_NUMBER_AT = 0;
  private static final int POOL_KEY_AT = 4;
  private static final int POOL_ADDRESS_AT = 8;
  private static final int POOL_LENGTH_AT = 16;

  private AttachLayout() {}

  static ByteBuffer request() {
    return ByteBuffer.allocate(REQUEST_BYTES).putInt(StoreServer.WIRE_VERSION).flip();
  }

  static int requestVersion(ByteBuffer request) {
    return request.remaining() < REQUEST_BYTES ? -1 : request.getInt(request.position());
  }

  static ByteBuffer response(Attachment attachment) {
    int bytes = HEADER_BYTES + attachment.pools().size() * POOL_BYTES;
    ByteBuffer out = ByteBuffer.allocate(bytes);
    out.putInt(VERSION_AT, StoreServer.WIRE_VERSION);
    out.putInt(POOLS_AT, attachment.pools().size());
    out.putLong(DESCRIPTOR_AT, attachment.indexDescriptor());
    int at = HEADER_BYTES;
    for (RemotePool pool : attachment.pools()) {
      out.putInt(at + POOL_NUMBER_AT, pool.number());
      out.putInt(at + POOL_KEY_AT, pool.key());
      out.putLong(at + POOL_ADDRESS_AT, pool.address());
      out.putLong(at + POOL_LENGTH_AT, pool.length());
      at += POOL_BYTES;
    }
    return out;
  }

  /** Reads a response, of which nothing is trusted. */
  static Attachment attachment(ByteBuffer response) {
    ByteBuffer in = response.slice();
    check(in.remaining() >= HEADER_BYTES, "length", in.remaining());
    check(in.getInt(VERSION_AT) == StoreServer.WIRE_VERSION, "version", in.getInt(VERSION_AT));
    int count = in.getInt(POOLS_AT);
    check(
        count >= 0 && (long) HEADER_BYTES + (long) count * POOL_BYTES == in.remaining(),
        "number of pools",
        count);
    List<RemotePool> pools = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int at = HEADER_BYTES + i * POOL_BYTES;
      long length = in.getLong(at + POOL_LENGTH_AT);
      check(length > 0, "length of a pool", length);
      pools.add(
          new RemotePool(
              in.getInt(at + POOL_NUMBER_AT),
              in.getInt(at + POOL_KEY_AT),
              in.getLong(at + POOL_ADDRESS_AT),
              length));
    }
    return new Attachment(in.getLong(DESCRIPTOR_AT), pools);
  }

  private static void check(boolean holds, String what, long found) {
    if (!holds) {
      throw new StoreException(
          StoreException.Code.REJECTED, "attach response: " + what + " is " + found);
    }
  }
}
