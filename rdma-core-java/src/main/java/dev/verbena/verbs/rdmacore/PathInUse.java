// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * What a queue pair uses to reach its peer, as its device told.
 *
 * @param mtu enum ibv_mtu: 128 bytes times two to the power of it
 * @param gidIndex of its port
 * @param gidType enum ibv_gid_type, or -1
 * @param gid on Ethernet the address that it was bound to
 */
record PathInUse(int mtu, int gidIndex, int gidType, InetAddress gid) {
  private static final int MTU_UNIT = 128;

  static PathInUse read(ByteBuffer path) {
    byte[] gid = new byte[PathLayout.GID_BYTES];
    path.get(PathLayout.GID_OFFSET, gid);
    try {
      return new PathInUse(
          path.getInt(PathLayout.MTU_OFFSET),
          path.getInt(PathLayout.GID_INDEX_OFFSET),
          path.getInt(PathLayout.GID_TYPE_OFFSET),
          InetAddress.getByAddress(gid));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("a GID is not an address of 16 bytes", e);
    }
  }

  int mtuBytes() {
    return MTU_UNIT << mtu;
  }
}
