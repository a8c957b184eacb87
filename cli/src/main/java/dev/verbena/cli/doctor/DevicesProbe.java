// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import dev.verbena.verbs.VerbsProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** Providers of verbs, cards that the kernel knows, and devices of persistent memory. */
final class DevicesProbe implements Probe {
  private static final String AREA = "devices";

  private final Kernel kernel;

  DevicesProbe(Kernel kernel) {
    this.kernel = kernel;
  }

  @Override
  public List<Finding> look() {
    List<Finding> findings = new ArrayList<>();
    for (VerbsProvider provider :
        ServiceLoader.load(VerbsProvider.class, VerbsProvider.class.getClassLoader())) {
      String subject = "provider " + provider.name();
      findings.add(
          provider
              .unavailabilityCause()
              .map(cause -> Finding.warning(AREA, subject, cause, "see the cause; soft works"))
              .orElse(Finding.ok(AREA, subject, "available")));
    }
    List<String> cards = kernel.names("sys/class/infiniband");
    findings.add(
        cards.isEmpty()
            ? Finding.ok(
                AREA, "RDMA cards", "none known to the kernel; the software NIC needs none")
            : Finding.warning(
                AREA,
                "RDMA cards",
                String.join(", ", cards),
                "this build has no provider for cards: the software NIC carries the traffic"));
    List<String> memory = new ArrayList<>(kernel.names("sys/bus/dax/devices"));
    memory.addAll(kernel.daxMounts());
    findings.add(
        memory.isEmpty()
            ? Finding.ok(AREA, "persistent memory", "none known to the kernel")
            : Finding.warning(
                AREA,
                "persistent memory",
                String.join(", ", memory),
                "this build makes pools in memory and in files only"));
    return findings;
  }
}
