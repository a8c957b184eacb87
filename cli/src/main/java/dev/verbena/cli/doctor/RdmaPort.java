// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import java.util.List;
import java.util.Optional;

/**
 * A port of an RDMA card, as sysfs tells it.
 *
 * @param card the card's name
 * @param number its number, from 1
 * @param state "ACTIVE" if it can send
 * @param linkLayer "Ethernet" or "InfiniBand"
 * @param rate for people
 * @param gids those in use, by index
 */
record RdmaPort(
    String card, int number, String state, String linkLayer, String rate, List<Gid> gids) {
  private static final String CARDS = "sys/class/infiniband";
  private static final String UNKNOWN = "not told";

  /** The ports of a card. */
  static List<RdmaPort> of(Kernel kernel, String card) {
    String ports = CARDS + "/" + card + "/ports";
    return numbers(kernel, ports).stream().map(port -> read(kernel, card, port)).toList();
  }

  private static RdmaPort read(Kernel kernel, String card, int number) {
    String port = CARDS + "/" + card + "/ports/" + number;
    return new RdmaPort(
        card,
        number,
        // As in "4: ACTIVE".
        kernel.text(port + "/state").map(text -> text.replaceFirst("^\\d+: ", "")).orElse(UNKNOWN),
        kernel.text(port + "/link_layer").orElse(UNKNOWN),
        kernel.text(port + "/rate").orElse("rate " + UNKNOWN),
        numbers(kernel, port + "/gids").stream()
            .flatMap(index -> Gid.read(kernel, port, index).stream())
            .toList());
  }

  private static List<Integer> numbers(Kernel kernel, String directory) {
    return kernel.names(directory).stream()
        .filter(name -> name.matches("\\d{1,6}"))
        .map(Integer::valueOf)
        .sorted()
        .toList();
  }

  boolean isActive() {
    return state.equals("ACTIVE");
  }

  boolean isEthernet() {
    return linkLayer.equals("Ethernet");
  }

  /** The network interface that it shares its link with. */
  Optional<String> netdev() {
    return gids.stream().map(Gid::netdev).filter(name -> !name.isEmpty()).findFirst();
  }

  @Override
  public String toString() {
    return card + " port " + number;
  }
}
