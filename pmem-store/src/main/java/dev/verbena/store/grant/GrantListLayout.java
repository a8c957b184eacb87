// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import java.nio.ByteBuffer;

/**
 * The layout of the calls that are about grants as such: abandon, which gives grants back, and
 * renew, which begins a new lease of every grant of the connection and names none. Big-endian.
 *
 * <pre>
 *  request
 *     0 |  version:32   |   grants:32   |
 *     8 |      grant:64, each           |
 *
 *  response
 *     0 |  version:32   |   zeros:32    |
 *     8 |         lease, ms:64          |
 * </pre>
 */
final class GrantListLayout {
  /** The number of abandon. */
  static final int ABANDON = 4;

  /** The number of renew. */
  static final int RENEW = 5;

  private static final int HEADER_BYTES = 8;
  private static final int RESPONSE_BYTES = 16;

  private GrantListLayout() {}

  static ByteBuffer request(long... grants) {
    ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES + grants.length * Long.BYTES);
    out.putInt(GrantLayout.VERSION).putInt(grants.length);
    for (long grant : grants) {
      out.putLong(grant);
    }
    return out.flip();
  }

  static long[] grants(ByteBuffer request) {
    WireReader in = new WireReader(request, "a list of grants").version(GrantLayout.VERSION);
    long[] grants = in.longs(in.count(Long.BYTES));
    in.end();
    return grants;
  }

  static ByteBuffer response(long leaseMillis) {
    return ByteBuffer.allocate(RESPONSE_BYTES)
        .putInt(GrantLayout.VERSION)
        .putInt(0)
        .putLong(leaseMillis)
        .flip();
  }

  static long leaseMillis(ByteBuffer response) {
    WireReader in = new WireReader(response, "a lease").version(GrantLayout.VERSION);
    in.getInt();
    long lease = in.getLong();
    in.check(lease > 0, "lease", lease);
    in.end();
    return lease;
  }
}
