// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import dev.verbena.memory.DaxDevice;
import dev.verbena.memory.MappedMemory;
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
import java.util.EnumMap;
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

  /** Persistent memory for FLUSH: a DAX device of which the suite overwrites the beginning. */
  private static final String DAX_DEVICE = "VERBENA_DAX_DEVICE";

  private static final String PROVIDER = "rdmacore";
  private static final String SOFT_ROCE = "rxe";

  /** Of kernel 6.12 and rdma-core 56. */
  private static final Map<Ability, String> LACKING_OF_SOFT_ROCE =
      Map.ofEntries(
          Map.entry(Ability.ACKNOWLEDGES_WHAT_OVERRUNS, "the target breaks the connection instead"),
          Map.entry(
              Ability.ANSWERS_REFUSED_INVALIDATIONS,
              "the target acknowledges the SEND and then breaks the connection, an error of class J"),
          Map.entry(Ability.CHECKS_OWNERS_OF_WINDOWS, "soft-RoCE does not compare the queue pair"),
          Map.entry(
              Ability.CHECKS_WINDOW_BOUNDS, "soft-RoCE looks at the bounds of the window's region"),
          Map.entry(
              Ability.FLUSHES_WITHOUT_ENTRIES, "a flushed RECV takes an entry like any other"),
          Map.entry(Ability.NAMES_LONG_SENDS, "soft-RoCE answers REMOTE_OPERATION_ERROR"),
          Map.entry(
              Ability.PERSISTS_BY_SOFTWARE,
              "soft-RoCE writes the cache lines of persistent memory back itself"),
          Map.entry(Ability.RAISES_ACCESS_ERRORS, "soft-RoCE never raises IBV_EVENT_QP_ACCESS_ERR"),
          Map.entry(
              Ability.REFUSES_UNALIGNED_MEMORY,
              "a device of the kernel registers memory of any alignment"),
          Map.entry(
              Ability.REGISTERS_SPLIT_MAPPINGS,
              "a device of the kernel registers what is contiguous in its process"),
          Map.entry(
              Ability.RUNS_BINDS_ONCE,
              "soft-RoCE runs a bind again when it sends again what was before it, and it fails"),
          Map.entry(
              Ability.WAITS_FOR_SENDS_TO_DRAIN,
              "soft-RoCE takes a SEND that was answered RNR for done"));

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
    Map<Ability, String> lacking = new EnumMap<>(Ability.class);
    if (carrier().equals(SOFT_ROCE)) {
      lacking.putAll(LACKING_OF_SOFT_ROCE);
    }
    if (System.getenv(DAX_DEVICE) == null) {
      lacking.put(Ability.HAS_PERSISTENT_MEMORY, DAX_DEVICE + " names no device");
    }
    return lacking;
  }

  @Override
  public MappedMemory persistentMemory(Device owner, long bytes) {
    Path path = Path.of(System.getenv(DAX_DEVICE));
    try (DaxDevice device = DaxDevice.tryOpen(path).orElseThrow()) {
      long units = (bytes + device.alignment() - 1) / device.alignment();
      MappedMemory memory = device.map(units * device.alignment());
      memory.zero(0, bytes);
      return memory;
    } catch (IOException e) {
      throw new UncheckedIOException(path + " can't be mapped", e);
    }
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
