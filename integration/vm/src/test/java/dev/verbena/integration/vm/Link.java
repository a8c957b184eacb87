// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.vm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * An rxe device on one end of the guest's virtual cable, as {@code guest/links} makes them. Both
 * ends are in one network namespace, where rdma_cm finds no way from one to the other: a link talks
 * to itself.
 */
enum Link {
  FIRST("rxe0", "v0", "10.77.0.1"),
  SECOND("rxe1", "v1", "10.77.0.2");

  /** What soft-RoCE takes off a frame before it rounds down to an MTU of InfiniBand. */
  private static final int LONGEST_HEADERS = 80;

  private final String device;
  private final String netdev;
  private final String address;

  Link(String device, String netdev, String address) {
    this.device = device;
    this.netdev = netdev;
    this.address = address;
  }

  /** The name of the RDMA device. */
  String device() {
    return device;
  }

  /** The name of the network interface. */
  String netdev() {
    return netdev;
  }

  /** The IPv4 address. */
  String address() {
    return address;
  }

  /** The state of the port, in the kernel's words: {@code ACTIVE}, {@code DOWN}. */
  String state() {
    return read("state").replaceFirst("^\\d+: ", "");
  }

  /** Bytes of payload that a packet has room for, at most. */
  int mtu() {
    int frame = Integer.parseInt(read(Path.of("/sys/class/net", netdev, "mtu")));
    return Integer.highestOneBit(frame - LONGEST_HEADERS);
  }

  /** The packets that the kernel sent and received so far. */
  Packets packets() {
    return new Packets(count("sent_pkts"), count("rcvd_pkts"));
  }

  private long count(String counter) {
    return Long.parseLong(read("hw_counters/" + counter));
  }

  private String read(String file) {
    return read(Path.of("/sys/class/infiniband", device, "ports/1", file));
  }

  private static String read(Path path) {
    try {
      return Files.readString(path).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("could not read " + path, e);
    }
  }

  /** What the kernel's counters of a link tell. */
  record Packets(long sent, long received) {
    Packets since(Packets earlier) {
      return new Packets(sent - earlier.sent, received - earlier.received);
    }
  }
}
