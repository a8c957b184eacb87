// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;

/** An address as the handshake carries it: 4 or 16 bytes, or none for the wildcard, and a port. */
final class WireAddress {
  static final int MOST_BYTES = 16;

  private final byte[] address;
  private final int port;

  WireAddress(byte[] address, int port) {
    this.address = address.clone();
    this.port = port;
  }

  static WireAddress of(InetSocketAddress socket) {
    InetAddress ip = socket.getAddress();
    return new WireAddress(
        ip == null || ip.isAnyLocalAddress() ? new byte[0] : ip.getAddress(), socket.getPort());
  }

  /** Whether a client that dialled {@code dialled} can have reached a server bound here. */
  boolean isReachedBy(WireAddress dialled) {
    return port == dialled.port
        && (address.length == 0
            || dialled.address.length == 0
            || Arrays.equals(address, dialled.address));
  }

  byte[] address() {
    return address.clone();
  }

  int port() {
    return port;
  }
}
