// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On trees of files as soft-RoCE makes them. */
class RdmaProbeTest {
  private static final String PORT = "sys/class/infiniband/rxe0/ports/1/";

  @TempDir private Path root;
  private int active = 1024;

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text + "\n");
  }

  private void writeGid(int index, String gid, String type) throws IOException {
    write(PORT + "gids/" + index, gid);
    write(PORT + "gid_attrs/types/" + index, type);
    write(PORT + "gid_attrs/ndevs/" + index, "v0");
  }

  /** A card on which all is well. */
  private void install() throws IOException {
    write("usr/lib/x86_64-linux-gnu/libibverbs.so.1.14.56.0", "");
    write("sys/class/misc/rdma_cm/dev", "10:58");
    write("dev/infiniband/rdma_cm", "");
    write("sys/class/infiniband_verbs/abi_version", "6");
    write("sys/class/infiniband_verbs/uverbs0/ibdev", "rxe0");
    write("dev/infiniband/uverbs0", "");
    write(PORT + "state", "4: ACTIVE");
    write(PORT + "link_layer", "Ethernet");
    write(PORT + "rate", "2.5 Gb/sec (1X SDR)");
    writeGid(0, "fe80:0000:0000:0000:5054:00ff:fe12:3456", "RoCE v2");
    writeGid(1, "0000:0000:0000:0000:0000:ffff:0a4d:0001", "RoCE v2");
    write(PORT + "gids/10", "0000:0000:0000:0000:0000:0000:0000:0000");
    writeGid(2, "fd77:0000:0000:0000:0000:0000:0000:0001", "IB/RoCE v1");
    write("sys/class/net/v0/mtu", "1500");
  }

  private List<Finding> look() {
    return new RdmaProbe(
            new Kernel(root), card -> active == 0 ? OptionalInt.empty() : OptionalInt.of(active))
        .look();
  }

  private Finding finding(String subject) {
    return look().stream()
        .filter(each -> each.subject().equals(subject))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + subject + " in " + look()));
  }

  @Test
  void aPortIsToldWithItsStateItsIdentifiersAndItsMtu() throws IOException {
    install();
    assertThat(look())
        .allMatch(finding -> finding.verdict() == Verdict.OK)
        .extracting(finding -> finding.subject() + ": " + finding.value())
        .containsExactly(
            "rdma-core: 56 (libibverbs.so.1.14.56.0)",
            "rdma_cm: " + root.resolve("dev/infiniband/rdma_cm"),
            "rxe0 verbs: " + root.resolve("dev/infiniband/uverbs0"),
            "rxe0 port 1: ACTIVE, Ethernet, 2.5 Gb/sec (1X SDR)",
            "rxe0 port 1 GID 0: RoCE v2, fe80:0:0:0:5054:ff:fe12:3456, v0",
            "rxe0 port 1 GID 1: RoCE v2, 10.77.0.1, v0",
            "rxe0 port 1 GID 2: IB/RoCE v1, fd77:0:0:0:0:0:0:1, v0",
            "rxe0 port 1 MTU: active MTU 1024; v0's 1500 carries 1024");
  }

  @Test
  void aPathMtuAboveTheEthernetsComesWithARemedy() throws IOException {
    install();
    active = 4096;
    assertThat(finding("rxe0 port 1 MTU").value()).contains("v0's 1500 carries 1024");
    assertThat(finding("rxe0 port 1 MTU").remedy()).contains("ip link set v0 mtu 4176");
    write("sys/class/net/v0/mtu", "4175");
    assertThat(finding("rxe0 port 1 MTU").verdict()).isEqualTo(Verdict.WARNING);
    write("sys/class/net/v0/mtu", "4176");
    assertThat(finding("rxe0 port 1 MTU").verdict()).isEqualTo(Verdict.OK);
  }

  @Test
  void aCardThatCannotBeAskedIsNoReasonToWarnOfItsMtu() throws IOException {
    install();
    active = 0;
    assertThat(finding("rxe0 port 1 MTU").value()).startsWith("active MTU not asked");
    Files.delete(root.resolve("sys/class/net/v0/mtu"));
    assertThat(finding("rxe0 port 1 MTU").remedy()).contains("share the network");
  }

  @Test
  void aPortThatIsDownComesWithARemedyOfItsKindOfLink() throws IOException {
    install();
    write(PORT + "state", "1: DOWN");
    assertThat(finding("rxe0 port 1").value()).startsWith("DOWN");
    assertThat(finding("rxe0 port 1").remedy()).contains("ip link set v0 up");
    write(PORT + "link_layer", "InfiniBand");
    assertThat(finding("rxe0 port 1").remedy()).contains("subnet manager");
  }

  @Test
  void aPortWithoutARoutableIdentifierComesWithARemedy() throws IOException {
    install();
    writeGid(1, "0000:0000:0000:0000:0000:ffff:0a4d:0001", "IB/RoCE v1");
    assertThat(finding("rxe0 port 1 GIDs").remedy()).isEqualTo("ip address add ADDRESS dev v0");
  }

  @Test
  void whatIsNotLoadedOrNotGivenToAContainerComesWithARemedy() throws IOException {
    install();
    Files.delete(root.resolve("dev/infiniband/uverbs0"));
    assertThat(finding("rxe0 verbs").remedy()).contains("/dev/infiniband");
    write("sys/class/infiniband_verbs/uverbs0/ibdev", "rxe7");
    assertThat(finding("rxe0 verbs").remedy()).contains("modprobe ib_uverbs");
    Files.delete(root.resolve("sys/class/misc/rdma_cm/dev"));
    Files.delete(root.resolve("sys/class/misc/rdma_cm"));
    assertThat(finding("rdma_cm").remedy()).contains("modprobe rdma_ucm");
  }

  @Test
  void anRdmaCoreThatIsOldOrMissingIsToldWhereThereIsACard() throws IOException {
    install();
    Path library = root.resolve("usr/lib/x86_64-linux-gnu/libibverbs.so.1.14.56.0");
    Files.move(library, library.resolveSibling("libibverbs.so.1.14.44.0"));
    assertThat(finding("rdma-core").remedy()).contains("rdma-core 45 or later");
    Files.delete(library.resolveSibling("libibverbs.so.1.14.44.0"));
    assertThat(finding("rdma-core").remedy()).contains("install rdma-core");
  }

  @Test
  void withoutACardNothingIsMissing() {
    assertThat(look()).singleElement().extracting(Finding::verdict).isEqualTo(Verdict.OK);
  }
}
