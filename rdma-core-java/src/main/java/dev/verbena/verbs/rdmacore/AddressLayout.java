// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * An address and port, {@code struct vb_address}, in host byte order.
 *
 * <pre>
 *   0    family:32                 4, 6; 0 for none
 *   4    port:32, scope:32, unused:32
 *   16   bytes of the address:128  of IPv4 the first four
 * </pre>
 */
final class AddressLayout {
  static final int FAMILY_OFFSET = 0;
  static final int PORT_OFFSET = 4;
  static final int SCOPE_OFFSET = 8;
  static final int BYTES_OFFSET = 16;
  static final int SIZE = 32;

  private static final int IPV4 = 4;
  private static final int IPV6 = 6;
  private static final int IPV4_BYTES = 4;
  private static final int IPV6_BYTES = 16;

  private AddressLayout() {}

  /** Writes an address, or that there is none. */
  static void write(ByteBuffer into, int at, InetSocketAddress address) {
    if (address == null) {
      into.putInt(at + FAMILY_OFFSET, 0);
      return;
    }
    byte[] bytes = address.getAddress().getAddress();
    into.putInt(at + FAMILY_OFFSET, bytes.length == IPV4_BYTES ? IPV4 : IPV6);
    into.putInt(at + PORT_OFFSET, address.getPort());
    into.putInt(
        at + SCOPE_OFFSET, address.getAddress() instanceof Inet6Address six ? six.getScopeId() : 0);
    into.put(at + BYTES_OFFSET, bytes);
  }

  static InetSocketAddress read(ByteBuffer from, int at) {
    boolean isFour = from.getInt(at + FAMILY_OFFSET) == IPV4;
    byte[] bytes = new byte[isFour ? IPV4_BYTES : IPV6_BYTES];
    from.get(at + BYTES_OFFSET, bytes);
    try {
      int scope = from.getInt(at + SCOPE_OFFSET);
      InetAddress address =
          isFour || scope == 0
              ? InetAddress.getByAddress(bytes)
              : Inet6Address.getByAddress(null, bytes, scope);
      return new InetSocketAddress(address, from.getInt(at + PORT_OFFSET));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
    }
  }
}
