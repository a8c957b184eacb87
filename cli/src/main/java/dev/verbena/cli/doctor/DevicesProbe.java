// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import dev.verbena.cli.Bytes;
import dev.verbena.memory.DaxDevice;
import dev.verbena.verbs.VerbsProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.ServiceLoader;

/** Providers of verbs, cards that the kernel knows, and devices of persistent memory. */
final class DevicesProbe implements Probe {
  private static final String AREA = "devices";
  private static final String DAX_DEVICES = "sys/bus/dax/devices";

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
    List<String> memory = kernel.names(DAX_DEVICES);
    if (memory.isEmpty()) {
      findings.add(Finding.ok(AREA, "DAX devices", "none known to the kernel"));
    }
    memory.forEach(name -> findings.add(daxDevice(name)));
    List<String> mounts = kernel.daxMounts();
    findings.add(
        Finding.ok(
            AREA,
            "DAX file systems",
            mounts.isEmpty() ? "none mounted" : String.join(", ", mounts)));
    return findings;
  }

  /** Nothing is opened: whoever owns a pool there goes on undisturbed. */
  private Finding daxDevice(String name) {
    String subject = "DAX device " + name;
    Path node = kernel.root().resolve("dev").resolve(name);
    long size = kernel.value(DAX_DEVICES + "/" + name + "/size").orElse(0);
    OptionalLong alignment = kernel.value(DAX_DEVICES + "/" + name + "/align");
    String value =
        new Bytes(size)
            + (alignment.isPresent()
                ? ", aligned to " + new Bytes(alignment.getAsLong())
                : ", alignment not told");
    if (size == 0) {
      return Finding.warning(
          AREA, subject, value, "nothing is in it: 'daxctl create-device' gives it memory");
    }
    if (alignment.isEmpty()) {
      return Finding.warning(AREA, subject, value, "pools on it need Linux 5.10 or later");
    }
    if (!Files.exists(node)) {
      return Finding.warning(
          AREA,
          subject,
          value + ", without " + node,
          "'daxctl reconfigure-device --mode=devdax "
              + name
              + "' binds it to its driver; a container must be given the node");
    }
    if (!Files.isReadable(node) || !Files.isWritable(node)) {
      return Finding.warning(
          AREA,
          subject,
          value + ", not for this user",
          "let this user read and write " + node + ", by chown or a rule of udev");
    }
    return DaxDevice.unavailabilityCause()
        .map(
            cause ->
                Finding.warning(AREA, subject, value, "pools on it need libverbena.so: " + cause))
        .orElse(Finding.ok(AREA, subject, value + ", for pools of kind devdax"));
  }

  /** Where there is no card, nothing is wrong with a provider for cards. */
  private static Finding unavailable(String subject, String cause, List<String> cards) {
    return cards.isEmpty()
        ? Finding.ok(AREA, subject, "not used here: " + cause)
        : Finding.warning(AREA, subject, cause, "see the cause; soft works");
  }
}
