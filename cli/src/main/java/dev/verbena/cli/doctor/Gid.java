// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An entry of a port's table of global identifiers, one that is in use.
 *
 * @param index its place in the table
 * @param type as the kernel calls it: "IB/RoCE v1", "RoCE v2"
 * @param address of the same bytes; IPv4 if it stands for such a one
 * @param netdev the network interface that it belongs to; empty if there is none
 */
record Gid(int index, String type, InetAddress address, String netdev) {
  private static final Pattern TEXT = Pattern.compile("(?:[0-9a-f]{4}:){7}[0-9a-f]{4}");

  /** Reads one; empty if the entry is. */
  static Optional<Gid> read(Kernel kernel, String port, int index) {
    return kernel
        .text(port + "/gids/" + index)
        .filter(text -> TEXT.matcher(text).matches())
        .map(Gid::address)
        .filter(address -> !address.isAnyLocalAddress())
        .map(
            address ->
                new Gid(
                    index,
                    kernel.text(port + "/gid_attrs/types/" + index).orElse("type not told"),
                    address,
                    kernel.text(port + "/gid_attrs/ndevs/" + index).orElse("")));
  }

  private static InetAddress address(String text) {
    try {
      return InetAddress.getByAddress(HexFormat.of().parseHex(text.replace(":", "")));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("a GID is as long as an address: " + text, e);
    }
  }

  /** Whether a connection by IP address can take it. */
  boolean isRoutable() {
    return type.equals("RoCE v2") && !address.isLinkLocalAddress();
  }

  @Override
  public String toString() {
    return type + ", " + address.getHostAddress() + (netdev.isEmpty() ? "" : ", " + netdev);
  }
}
