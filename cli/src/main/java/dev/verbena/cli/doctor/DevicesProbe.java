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
    List<String> cards = kernel.names("sys/class/infiniband");
    for (VerbsProvider provider :
        ServiceLoader.load(VerbsProvider.class, VerbsProvider.class.getClassLoader())) {
      String subject = "provider " + provider.name();
      findings.add(
          provider
              .unavailabilityCause()
              .map(cause -> unavailable(subject, cause, cards))
              .orElse(Finding.ok(AREA, subject, "available")));
    }
    findings.add(
        cards.isEmpty()
            ? Finding.ok(
                AREA, "RDMA cards", "none known to the kernel; the software NIC needs none")
            : Finding.warning(
                AREA,
                "RDMA cards",
                String.join(", ", cards),
                "the plug-ins do not use cards yet: the software NIC carries their traffic"));
    List<String> memory = kernel.names("sys/bus/dax/devices");
    findings.add(
        memory.isEmpty()
            ? Finding.ok(AREA, "DAX devices", "none known to the kernel")
            : Finding.warning(
                AREA,
                "DAX devices",
                String.join(", ", memory),
                "this build makes no pools on them: make a DAX file system for pools of kind fsdax"));
    List<String> mounts = kernel.daxMounts();
    findings.add(
        Finding.ok(
            AREA,
            "DAX file systems",
            mounts.isEmpty() ? "none mounted" : String.join(", ", mounts)));
    return findings;
  }

  /** Where there is no card, nothing is wrong with a provider for cards. */
  private static Finding unavailable(String subject, String cause, List<String> cards) {
    return cards.isEmpty()
        ? Finding.ok(AREA, subject, "not used here: " + cause)
        : Finding.warning(AREA, subject, cause, "see the cause; soft works");
  }
}
