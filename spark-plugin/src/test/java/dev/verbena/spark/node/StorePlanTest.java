// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.rpc.RpcSecret;
import dev.verbena.spark.conf.ConfigurationException;
import dev.verbena.spark.conf.ShuffleSettings;
import dev.verbena.store.PoolKind;
import dev.verbena.store.TierOptions;
import java.nio.file.Path;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StorePlanTest {
  @TempDir private Path directory;

  @Test
  void eachTierNamesTheKeyThatBoundsIt() {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.shuffle.verbena.pool.directory", directory.toString())
            .set("spark.shuffle.verbena.pool.size", "8m")
            .set("spark.shuffle.verbena.overflow.size", "8m");
    NodePlace place =
        new NodePlace(
            "app", "0", "127.0.0.1", directory, RpcSecret.of(new byte[RpcSecret.MIN_LENGTH]));
    assertThat(StorePlan.of(ShuffleSettings.read(conf), place).storeOptions().tiers())
        .extracting(TierOptions::limit)
        .containsExactly("spark.shuffle.verbena.pool.size", "spark.shuffle.verbena.overflow.size");
  }

  @Test
  void withoutRoomForAPoolAndWithoutOverflowBothKeysAreNamed() {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.shuffle.verbena.pool.directory", directory.toString())
            .set("spark.shuffle.verbena.executorsPerHost", "2147483647")
            .set("spark.shuffle.verbena.overflow.size", "0");
    NodePlace place =
        new NodePlace(
            "app", "0", "127.0.0.1", directory, RpcSecret.of(new byte[RpcSecret.MIN_LENGTH]));
    StorePlan plan = StorePlan.of(ShuffleSettings.read(conf), place);
    assertThatThrownBy(plan::storeOptions)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("spark.shuffle.verbena.pool.directory = '" + directory + "'")
        .hasMessageContaining("spark.shuffle.verbena.overflow.size = '0'");
  }

  @Test
  void whereADeviceIsNamedThatIsNoneTheKeyAndTheDeviceAreNamed() {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.shuffle.verbena.pool.kind", "devdax")
            .set("spark.shuffle.verbena.pool.directory", directory + "/dax{executor}.0");
    NodePlace place =
        new NodePlace(
            "app", "7", "127.0.0.1", directory, RpcSecret.of(new byte[RpcSecret.MIN_LENGTH]));
    StorePlan plan = StorePlan.of(ShuffleSettings.read(conf), place);
    assertThatThrownBy(plan::storeOptions)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("spark.shuffle.verbena.pool.directory = ")
        .hasMessageContaining(directory.resolve("dax7.0") + " can't be");
    conf.set("spark.shuffle.verbena.pool.size", "4m");
    assertThat(StorePlan.of(ShuffleSettings.read(conf), place).storeOptions().tiers().get(0))
        .satisfies(tier -> assertThat(tier.kind()).isEqualTo(PoolKind.DEVDAX))
        .satisfies(tier -> assertThat(tier.prefix()).isEqualTo(directory.resolve("dax7.0")))
        .satisfies(tier -> assertThat(tier.maxBytes()).isEqualTo(4 << 20));
  }

  @Test
  void executorsOfOneIdInTwoApplicationsOfOneIdHavePoolsOfTheirOwn() {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.shuffle.verbena.pool.directory", directory.toString())
            .set("spark.shuffle.verbena.pool.size", "8m");
    NodePlace place =
        new NodePlace(
            "app-20261129200729-0000",
            "0",
            "127.0.0.1",
            directory,
            RpcSecret.of(new byte[RpcSecret.MIN_LENGTH]));
    ShuffleSettings settings = ShuffleSettings.read(conf);
    assertThat(StorePlan.of(settings, place).storeOptions().tiers().get(0).prefix())
        .satisfies(prefix -> assertThat(prefix.getParent()).isEqualTo(directory))
        .isNotEqualTo(StorePlan.of(settings, place).storeOptions().tiers().get(0).prefix());
  }
}
