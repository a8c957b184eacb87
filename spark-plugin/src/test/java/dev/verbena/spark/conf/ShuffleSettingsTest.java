// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.conf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ShuffleSettingsTest {
  @Test
  void defaultsNeedNoKey() {
    ShuffleSettings settings = ShuffleSettings.read(new SparkConf(false));
    assertThat(settings.provider()).isEqualTo("soft");
    assertThat(settings.mapped()).isTrue();
    assertThat(settings.tcpOnly()).isFalse();
    assertThat(settings.required()).isFalse();
    assertThat(settings.pool().inMemory()).isTrue();
    assertThat(settings.pool().executorsPerHost()).isEqualTo(1);
    assertThat(settings.writer().direct()).isTrue();
  }

  @Test
  void valuesAreReadInSparksNotation() {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.shuffle.verbena.path", "READ")
            .set("spark.shuffle.verbena.carrier", "tcp")
            .set("spark.shuffle.verbena.pool.size", "3g")
            .set("spark.shuffle.verbena.writer.buffer", "8m")
            .set("spark.shuffle.verbena.timeout.connect", "250ms");
    ShuffleSettings settings = ShuffleSettings.read(conf);
    assertThat(settings.mapped()).isFalse();
    assertThat(settings.tcpOnly()).isTrue();
    assertThat(settings.pool().size()).hasValue(3L << 30);
    assertThat(settings.writer().bufferBytes()).isEqualTo(8 << 20);
    assertThat(settings.timeouts().connect()).isEqualTo(Duration.ofMillis(250));
  }

  @Test
  void aLocalClusterTellsHowManyExecutorsShareTheHost() {
    SparkConf conf = new SparkConf(false).setMaster("local-cluster[3, 1, 1024]");
    assertThat(ShuffleSettings.read(conf).pool().executorsPerHost()).isEqualTo(3);
    conf.set("spark.shuffle.verbena.executorsPerHost", "5");
    assertThat(ShuffleSettings.read(conf).pool().executorsPerHost()).isEqualTo(5);
  }

  @ParameterizedTest
  @CsvSource({
    "pth, path",
    "pool.sizes, pool.size",
    "writer.buffers, writer.buffer",
    "timeout.fetsh, timeout.fetch"
  })
  void anUnknownKeyNamesTheNearestKnownOne(String unknown, String nearest) {
    SparkConf conf = new SparkConf(false).set("spark.shuffle.verbena." + unknown, "1");
    assertThatThrownBy(() -> ShuffleSettings.read(conf))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(
            "unknown key spark.shuffle.verbena."
                + unknown
                + ": did you mean spark.shuffle.verbena."
                + nearest
                + "?");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "path            | both   | one of mapped, read",
        "carrier         | rdma   | one of auto, tcp",
        "pool.kind       | nvme   | one of memory, file, fsdax, devdax",
        "required        | maybe  | true or false",
        "pool.size       | big    | size of at least 64k",
        "pool.size       | 1k     | size of at least 64k",
        "overflow.size   | 1k     | 0 or size of at least 64k",
        "writer.buffer   | 3      | size of at least 1m",
        "port            | 70000  | number from 0 to 65535",
        "port            | http   | number from 0 to 65535",
        "executorsPerHost| 0      | number of at least 1",
        "timeout.fetch   | never  | time of at least 1ms",
        "timeout.fetch   | 0      | time of at least 1ms",
        "provider        | mlx5   | one of rdmacore, rdmacore:DEVICE, soft",
        "provider        | soft:x | one of rdmacore, rdmacore:DEVICE, soft",
        "provider        | rdmacore: | one of rdmacore, rdmacore:DEVICE, soft",
        "bindAddress     | myhost | numeric IPv4 or IPv6 address",
        "pool.directory  | pools  | absolute path, with no other places than {app}, {executor} and a leading {local}",
        "pool.directory  | /a/{x} | absolute path, with no other places than {app}, {executor} and a leading {local}",
        "pool.directory  | /{local} | absolute path, with no other places than {app}, {executor} and a leading {local}"
      })
  void aBadValueIsOneLineWithKeyValueAndWhatIsExpected(String key, String value, String expected) {
    SparkConf conf = new SparkConf(false).set("spark.shuffle.verbena." + key, value);
    assertThatThrownBy(() -> ShuffleSettings.read(conf))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage("spark.shuffle.verbena." + key + " = '" + value + "': expected " + expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/dev/shm", "/a/{app}/{executor}", "{local}", "{local}/{app}"})
  void directoriesMayHaveTheKnownPlaces(String template) {
    SparkConf conf = new SparkConf(false).set("spark.shuffle.verbena.pool.directory", template);
    assertThat(ShuffleSettings.read(conf).pool().directory()).isEqualTo(template);
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "::1", "fe80::1%eth0"})
  void addressesAreNumeric(String address) {
    SparkConf conf = new SparkConf(false).set("spark.shuffle.verbena.bindAddress", address);
    assertThat(ShuffleSettings.read(conf).bindAddress()).hasValue(address);
  }

  @ParameterizedTest
  @ValueSource(strings = {"spark.shuffle.verbana.path", "spark.shuffle.Verbena.path"})
  void aMisspeltPrefixIsNotIgnored(String key) {
    SparkConf conf = new SparkConf(false).set(key, "read");
    assertThatThrownBy(() -> ShuffleSettings.read(conf))
        .hasMessage("unknown key " + key + ": did you mean spark.shuffle.verbena.path?");
  }

  @Test
  void keysOfOthersAreLeftAlone() {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.shuffle.service.port", "1")
            .set("spark.shuffle.manager", "sort")
            .set("spark.verbena.x", "1");
    assertThat(ShuffleSettings.read(conf).mapped()).isTrue();
  }

  @Test
  void aDeviceOfTheKernelIsChosenByNameAndHasOneCarrier() {
    SparkConf conf = new SparkConf(false).set("spark.shuffle.verbena.provider", "rdmacore:mlx5_0");
    assertThat(ShuffleSettings.read(conf).provider()).isEqualTo("rdmacore:mlx5_0");
    conf.set("spark.shuffle.verbena.carrier", "tcp");
    assertThatThrownBy(() -> ShuffleSettings.read(conf))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(
            "spark.shuffle.verbena.carrier = 'tcp': expected auto, which is all that"
                + " spark.shuffle.verbena.provider = 'rdmacore:mlx5_0' has");
  }

  @Test
  void memoryCanNotPromiseToSurvivePowerLoss() {
    SparkConf conf = new SparkConf(false).set("spark.shuffle.verbena.durability", "power");
    assertThatThrownBy(() -> ShuffleSettings.read(conf))
        .hasMessageContaining("spark.shuffle.verbena.durability = 'power'")
        .hasMessageContaining("spark.shuffle.verbena.pool.kind");
    for (String kind : List.of("file", "fsdax", "devdax")) {
      conf.set("spark.shuffle.verbena.pool.kind", kind);
      assertThat(ShuffleSettings.read(conf).pool().durability()).isEqualTo("POWER");
    }
  }
}
