// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;

/** RDMA cards: what is installed for them, their ports, identifiers and MTUs. */
final class RdmaProbe implements Probe {
  private static final String AREA = "rdma";
  private static final String MANAGER = "rdma_cm";
  private static final int[] PATH_MTUS = {4096, 2048, 1024, 512, 256};

  /** IPv6 40, UDP 8, BTH 12, RETH 16, ICRC 4. */
  private static final int HEADERS = 80;

  private final Kernel kernel;
  private final Function<String, OptionalInt> pathMtu;

  /**
   * Creates a probe.
   *
   * @param pathMtu what a card's port sends in a packet, by the card's name; empty if it can't be
   *     asked
   */
  RdmaProbe(Kernel kernel, Function<String, OptionalInt> pathMtu) {
    this.kernel = kernel;
    this.pathMtu = pathMtu;
  }

  @Override
  public List<Finding> look() {
    List<String> cards = kernel.names("sys/class/infiniband");
    List<Finding> findings = new ArrayList<>();
    findings.add(new RdmaCore(kernel).finding(AREA, !cards.isEmpty()));
    if (cards.isEmpty()) {
      return findings;
    }
    findings.add(manager());
    for (String card : cards) {
      findings.add(verbs(card));
      RdmaPort.of(kernel, card).forEach(port -> addPort(findings, port));
    }
    return findings;
  }

  private Finding manager() {
    return kernel.names("sys/class/misc").contains(MANAGER)
        ? node(MANAGER, MANAGER)
        : Finding.warning(
            AREA,
            MANAGER,
            "the kernel's connection manager is not loaded: nothing can connect",
            "modprobe rdma_ucm, and its name in /etc/modules-load.d");
  }

  private Finding verbs(String card) {
    String nodes = "sys/class/infiniband_verbs";
    String subject = card + " verbs";
    return kernel.names(nodes).stream()
        .filter(name -> kernel.text(nodes + "/" + name + "/ibdev").orElse("").equals(card))
        .findFirst()
        .map(name -> node(subject, name))
        .orElse(
            Finding.warning(
                AREA,
                subject,
                "the kernel offers none to processes",
                "modprobe ib_uverbs, and its name in /etc/modules-load.d"));
  }

  private Finding node(String subject, String name) {
    Path node = kernel.root().resolve("dev/infiniband").resolve(name);
    if (!Files.exists(node)) {
      return Finding.warning(
          AREA, subject, "without " + node, "a container must be given /dev/infiniband");
    }
    return Files.isReadable(node) && Files.isWritable(node)
        ? Finding.ok(AREA, subject, node.toString())
        : Finding.warning(
            AREA,
            subject,
            node + " is not for this user",
            "let this user read and write it, by chown or a rule of udev");
  }

  private void addPort(List<Finding> findings, RdmaPort port) {
    String value = port.state() + ", " + port.linkLayer() + ", " + port.rate();
    String netdev = port.netdev().orElse("its network interface");
    findings.add(
        port.isActive()
            ? Finding.ok(AREA, port.toString(), value)
            : Finding.warning(
                AREA,
                port.toString(),
                value,
                port.isEthernet()
                    ? "ip link set " + netdev + " up, and see that its link has a carrier"
                    : "look at the cable and at the subnet manager"));
    for (Gid gid : port.gids()) {
      findings.add(Finding.ok(AREA, port + " GID " + gid.index(), gid.toString()));
    }
    if (port.isEthernet()) {
      if (port.gids().stream().noneMatch(Gid::isRoutable)) {
        findings.add(
            Finding.warning(
                AREA,
                port + " GIDs",
                "none is RoCE v2 of an IP address, by which peers connect",
                "ip address add ADDRESS dev " + netdev));
      }
      port.netdev().ifPresent(name -> findings.add(mtu(port, name)));
    }
  }

  private Finding mtu(RdmaPort port, String netdev) {
    String subject = port + " MTU";
    OptionalLong ethernet = kernel.value("sys/class/net/" + netdev + "/mtu");
    if (ethernet.isEmpty()) {
      return Finding.warning(
          AREA,
          subject,
          "that of " + netdev + " is not told",
          "a container must share the network of " + netdev);
    }
    long carried = carried(ethernet.getAsLong());
    String value = netdev + "'s " + ethernet.getAsLong() + " carries " + carried;
    OptionalInt active = pathMtu.apply(port.card());
    if (active.isEmpty()) {
      return Finding.ok(AREA, subject, "active MTU not asked; " + value);
    }
    String both = "active MTU " + active.getAsInt() + "; " + value;
    return active.getAsInt() <= carried
        ? Finding.ok(AREA, subject, both)
        : Finding.warning(
            AREA,
            subject,
            both + ": larger packets get lost, and requests end in RETRY_EXCEEDED",
            "ip link set "
                + netdev
                + " mtu "
                + (active.getAsInt() + HEADERS)
                + ", and as much or more on every switch and peer, or lower the port's MTU");
  }

  /** The largest path MTU that fits into a frame with all headers; 0 if none does. */
  private static int carried(long ethernet) {
    for (int mtu : PATH_MTUS) {
      if (mtu + HEADERS <= ethernet) {
        return mtu;
      }
    }
    return 0;
  }
}
