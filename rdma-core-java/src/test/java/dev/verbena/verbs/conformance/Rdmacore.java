// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.VerbsProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A device of the kernel, at the addresses of its network interface: the one that {@value #DEVICE}
 * names, else the first. In the environment, so that child JVMs take the same.
 */
public final class Rdmacore implements VerbsUnderTest {
  static final String DEVICE = "VERBENA_RDMA_DEVICE";

  private static final String PROVIDER = "rdmacore";
  private static final String SOFT_ROCE = "rxe";

  /** Of kernel 6.12 and rdma-core 56. */
  private static final Map<Ability, String> LACKING_OF_SOFT_ROCE =
      Map.of(
          Ability.ACKNOWLEDGES_WHAT_OVERRUNS,
          "the target breaks the connection instead",
          Ability.CHECKS_BUFFERS_OF_ANSWERS_FIRST,
          "a device looks at the buffer when the answer is there, and the target has changed",
          Ability.CHECKS_WINDOW_BOUNDS,
          "soft-RoCE looks at the bounds of the window's region",
          Ability.FLUSHES_WITHOUT_ENTRIES,
          "a flushed RECV takes an entry like any other",
          Ability.NAMES_LONG_SENDS,
          "soft-RoCE answers REMOTE_OPERATION_ERROR",
          Ability.RAISES_ACCESS_ERRORS,
          "soft-RoCE never raises IBV_EVENT_QP_ACCESS_ERR",
          Ability.REFUSES_UNALIGNED_MEMORY,
          "a device of the kernel registers memory of any alignment",
          Ability.WAITS_FOR_SENDS_TO_DRAIN,
          "soft-RoCE takes a SEND that was answered RNR for done",
          Ability.WAKES_FOR_ERRORS,
          "soft-RoCE counts an error at a send queue as not solicited");

  private static final Path CLASS = Path.of("/sys/class/infiniband");

  /** Creates the provider under test. */
  public Rdmacore() {}

  /** Why it can't be tested on this machine; empty if it can. */
  static Optional<String> unavailabilityCause() {
    try {
      VerbsProvider.named(PROVIDER);
      return Optional.empty();
    } catch (dev.verbena.verbs.VerbsException e) {
      return Optional.of(e.getMessage());
    }
  }

  @Override
  public Device open(Path directory) {
    return VerbsProvider.openDevice(PROVIDER + ":" + device(), DeviceOptions.defaults());
  }

  @Override
  public String carrier() {
    return Files.exists(CLASS.resolve(device()).resolve("parent")) ? SOFT_ROCE : driver();
  }

  @Override
  public Map<Ability, String> lacking() {
    return carrier().equals(SOFT_ROCE) ? LACKING_OF_SOFT_ROCE : Map.of();
  }

  private static String driver() {
    try {
      return CLASS.resolve(device()).resolve("device/driver").toRealPath().getFileName().toString();
    } catch (IOException e) {
      throw new UncheckedIOException("no driver of " + device(), e);
    }
  }

  @Override
  public InetAddress address() {
    return ipv4().get(0);
  }

  @Override
  public InetAddress otherSource() {
    return ipv4().get(ipv4().size() - 1);
  }

  @Override
  public InetAddress ipv6Address() {
    return addresses()
        .filter(address -> address instanceof Inet6Address && !address.isLinkLocalAddress())
        .findFirst()
        .orElseGet(InetAddress::getLoopbackAddress);
  }

  private static List<InetAddress> ipv4() {
    return addresses().filter(Inet4Address.class::isInstance).toList();
  }

  private static Stream<InetAddress> addresses() {
    Path first = CLASS.resolve(device()).resolve("ports/1/gid_attrs/ndevs/0");
    try {
      return NetworkInterface.getByName(Files.readString(first).trim()).inetAddresses();
    } catch (SocketException e) {
      throw new UncheckedIOException("no addresses of " + first, e);
    } catch (IOException e) {
      throw new UncheckedIOException("no network interface of " + device(), e);
    }
  }

  private static String device() {
    String wanted = System.getenv(DEVICE);
    if (wanted != null) {
      return wanted;
    }
    try (Stream<Path> devices = Files.list(CLASS)) {
      return devices.map(device -> device.getFileName().toString()).sorted().findFirst().get();
    } catch (IOException e) {
      throw new UncheckedIOException("no devices", e);
    }
  }
}
