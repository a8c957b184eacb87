// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the kernel counted of a soft-RoCE device: both ends, where they are on one device.
 *
 * @param sent packets
 * @param received packets
 * @param sends SENDs that were posted
 */
record KernelCounters(long sent, long received, long sends) {
  private static final Path CLASS = Path.of("/sys/class/infiniband");

  static KernelCounters of(String device) {
    return new KernelCounters(
        counter(device, "sent_pkts"), counter(device, "rcvd_pkts"), counter(device, "rdma_sends"));
  }

  KernelCounters since(KernelCounters earlier) {
    return new KernelCounters(
        sent - earlier.sent, received - earlier.received, sends - earlier.sends);
  }

  private static long counter(String device, String name) {
    return Long.parseLong(read(CLASS.resolve(device).resolve("ports/1/hw_counters/" + name)));
  }

  /** Bytes of payload in a packet: the largest power of two that leaves room for headers. */
  static int packetBytes(String device) {
    String netdev = read(CLASS.resolve(device).resolve("parent"));
    int frame = Integer.parseInt(read(Path.of("/sys/class/net", netdev, "mtu")));
    return Integer.highestOneBit(frame - 1);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("could not read " + file, e);
    }
  }
}
