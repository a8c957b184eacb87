// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What blocks fall back to. Here, and nowhere else, fallbacks are expected. */
@Tag("spark")
class FallbackIT {
  private static final String GROUP_BY = "rddGroupBy";

  /** TEST-NET-1 of RFC 5737: no host has it, so no device can listen there. */
  private static final String ADDRESS_OF_NOBODY = "192.0.2.1";

  private static Cluster cluster;
  private static Path broken;

  @BeforeAll
  static void breakLinks() {
    cluster = new Cluster("fallback");
    broken = cluster.results("broken");
    cluster.complete(
        cluster.verbena("broken", FallbackApplication.class).arguments(broken.toString()));
  }

  @AfterAll
  static void removeHome() {
    cluster.close();
  }

  @Test
  void nothingFallsBackWhileNothingIsBroken() {
    Traffic traffic = CheckResult.read(broken, FallbackApplication.UNDISTURBED).traffic();
    assertThat(traffic.fallbacks()).as("%s", traffic).isZero();
    assertThat(traffic.count("bytes.mapped")).as("%s", traffic).isPositive();
  }

  @Test
  void blocksFallBackToSoftTcp() {
    Traffic traffic = sameRows(FallbackApplication.NO_CLIENT);
    assertThat(traffic.count("bytes.tcp")).as("%s", traffic).isPositive();
    assertThat(traffic.count("bytes.netty")).as("%s", traffic).isZero();
    assertThat(traffic.count("fallbacks.disconnected")).as("%s", traffic).isPositive();
  }

  @Test
  void blocksOfAStoreThatIsOutOfReachFallBackToNetty() {
    Traffic traffic = sameRows(FallbackApplication.NO_SERVER);
    assertThat(traffic.count("bytes.netty")).as("%s", traffic).isPositive();
    assertThat(traffic.count("bytes.tcp")).as("%s", traffic).isZero();
    assertThat(traffic.count("fallbacks.disconnected")).as("%s", traffic).isPositive();
  }

  @Test
  void allBlocksFallBackToNettyWithoutADevice() {
    Path stock = cluster.results("stock");
    Path without = cluster.results("without");
    cluster.complete(
        cluster
            .application("stock", CheckApplication.class)
            .master("local[2]")
            .arguments(stock.toString(), "0", GROUP_BY));
    cluster.complete(
        cluster
            .verbena("without", CheckApplication.class)
            .conf(Cluster.KEYS + "bindAddress", ADDRESS_OF_NOBODY)
            .arguments(without.toString(), Integer.toString(Cluster.EXECUTORS), GROUP_BY));
    CheckResult found = CheckResult.read(without, GROUP_BY);
    assertThat(found.rows()).isEqualTo(CheckResult.read(stock, GROUP_BY).rows());
    Traffic traffic = found.traffic();
    assertThat(traffic.count("fallbacks.noDevice")).as("%s", traffic).isPositive();
    assertThat(traffic.share("netty")).as("%s", traffic).isEqualTo(1);
  }

  private static Traffic sameRows(String phase) {
    CheckResult found = CheckResult.read(broken, phase);
    assertThat(found.rows())
        .hasSize(2)
        .isEqualTo(CheckResult.read(broken, FallbackApplication.UNDISTURBED).rows());
    return found.traffic();
  }
}
