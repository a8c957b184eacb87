// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.spark.conf.ConfigurationException;
import dev.verbena.spark.node.ShuffleNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ManagerStartTest {
  private static final String IO_KEY = "spark.shuffle.sort.io.plugin.class";

  @Test
  void theExampleConfigurationRunsAnApplication() throws Exception {
    Properties example = new Properties();
    try (var in = Files.newBufferedReader(Path.of("..", "conf-examples", "spark-defaults.conf"))) {
      example.load(in);
    }
    Map<String, String> settings = new TreeMap<>();
    example.stringPropertyNames().forEach(key -> settings.put(key, example.getProperty(key)));
    assertThat(settings).containsEntry(SparkApplications.MANAGER_KEY, SparkApplications.MANAGER);
    try (JavaSparkContext spark = SparkApplications.local(settings)) {
      assertThat(spark.parallelize(List.of(3, 1, 2)).repartition(2).collect())
          .containsExactlyInAnyOrder(1, 2, 3);
    }
  }

  @Test
  void theManagerItselfNamesTheIoPlugIn() {
    try (JavaSparkContext spark = SparkApplications.local(Map.of())) {
      assertThat(spark.getConf().get(IO_KEY)).isEqualTo(VerbenaShuffleDataIO.class.getName());
    }
  }

  @Test
  void aUsersOwnIoPlugInIsAnErrorThatNamesBothKeys() {
    assertThatThrownBy(() -> SparkApplications.local(Map.of(IO_KEY, "org.example.OtherIO")).close())
        .rootCause()
        .hasMessageContaining(IO_KEY + " = 'org.example.OtherIO'")
        .hasMessageContaining(SparkApplications.MANAGER_KEY);
  }

  @Test
  void aMisspeltKeyEndsTheStart() {
    assertThatThrownBy(
            () -> SparkApplications.local(Map.of("spark.shuffle.verbena.pathh", "read")).close())
        .rootCause()
        .hasMessage(
            "unknown key spark.shuffle.verbena.pathh: did you mean spark.shuffle.verbena.path?");
  }

  @Test
  void whatNeedsFilesRunsOnSparksShuffle() {
    Map<String, String> settings = Map.of("spark.shuffle.service.enabled", "true");
    try (JavaSparkContext spark = SparkApplications.local(settings)) {
      assertThat(spark.parallelize(List.of(3, 1, 2)).repartition(2).count()).isEqualTo(3);
      assertThat(spark.getConf().contains(IO_KEY)).isFalse();
      assertThat(SparkEnv.get().shuffleManager().shuffleBlockResolver())
          .isExactlyInstanceOf(IndexShuffleBlockResolver.class);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spark.network.crypto.enabled",
        "spark.ssl.rpc.enabled",
        "spark.authenticate.enableSaslEncryption"
      })
  void encryptedBlockTransferIsNotReplacedByOneInTheClear(String key) {
    SparkConf conf =
        new SparkConf(false).set(key, "true").set("spark.shuffle.verbena.required", "true");
    assertThatThrownBy(() -> new VerbenaShuffleManager(conf, true))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(key + " is set, and encrypted block transfer")
        .hasMessageContaining("spark.io.encryption.enabled = 'true'");
    assertThat(IncompatibleFeature.in(conf.set("spark.io.encryption.enabled", "true"))).isEmpty();
  }

  @Test
  void aStoreAtAWildcardAddressIsToldToOthersAtTheExecutorsOwn() {
    Map<String, String> settings = Map.of("spark.shuffle.verbena.bindAddress", "0.0.0.0");
    try (JavaSparkContext spark = SparkApplications.local(settings)) {
      assertThat(spark.parallelize(List.of(3, 1, 2)).repartition(2).count()).isEqualTo(3);
      ShuffleNode node = ((VerbenaShuffleManager) SparkEnv.get().shuffleManager()).node();
      assertThat(node.directory().find(SparkEnv.get().executorId()).orElseThrow().addresses())
          .singleElement()
          .satisfies(at -> assertThat(at.getAddress().getHostAddress()).isEqualTo("127.0.0.1"))
          .satisfies(at -> assertThat(at.getPort()).isPositive());
    }
  }

  @Test
  void whereTheKernelHasNoSuchDeviceARequiredShuffleFailsInOneLineThatNamesIt() {
    Map<String, String> settings =
        Map.of(
            "spark.shuffle.verbena.provider",
            "rdmacore:nosuch0",
            "spark.shuffle.verbena.required",
            "true");
    try (JavaSparkContext spark = SparkApplications.local(settings)) {
      assertThatThrownBy(() -> spark.parallelize(List.of(3, 1, 2)).repartition(2).count())
          .hasMessageContaining(
              "ConfigurationException: executor driver has no verbs (provider rdmacore:nosuch0 at")
          .hasMessageContaining("spark.shuffle.verbena.required = 'true'");
    }
  }

  @Test
  void whereTheKernelHasNoSuchDeviceBlocksOtherwiseGoBySparksTransfer() {
    Map<String, String> settings = Map.of("spark.shuffle.verbena.provider", "rdmacore:nosuch0");
    try (JavaSparkContext spark = SparkApplications.local(settings)) {
      assertThat(spark.parallelize(List.of(3, 1, 2)).repartition(2).count()).isEqualTo(3);
    }
  }

  @Test
  void pushBasedShuffleWithoutItsServiceChangesNothing() {
    Map<String, String> settings =
        Map.of("spark.shuffle.push.enabled", "true", "spark.shuffle.verbena.required", "true");
    try (JavaSparkContext spark = SparkApplications.local(settings)) {
      assertThat(spark.parallelize(List.of(3, 1, 2)).repartition(2).count()).isEqualTo(3);
      assertThat(SparkEnv.get().shuffleManager().shuffleBlockResolver())
          .isInstanceOf(VerbenaBlockResolver.class);
    }
  }

  @Test
  void whatNeedsFilesIsAnErrorWhereTheShuffleIsRequired() {
    Map<String, String> settings =
        Map.of("spark.shuffle.service.enabled", "true", "spark.shuffle.verbena.required", "true");
    assertThatThrownBy(() -> SparkApplications.local(settings).close())
        .rootCause()
        .hasMessageContaining("spark.shuffle.service.enabled")
        .hasMessageContaining("spark.shuffle.verbena.required");
  }

  @Test
  void theSecretIsRedactedWhereSparkShowsTheConfiguration() {
    try (JavaSparkContext spark = SparkApplications.local(Map.of())) {
      String secret = spark.getConf().get(StoreSecret.KEY);
      assertThat(secret).hasSize(64);
      assertThat(org.apache.spark.util.Utils.redact(spark.getConf(), toSeq(spark)).mkString())
          .contains(StoreSecret.KEY)
          .doesNotContain(secret);
    }
  }

  private static scala.collection.immutable.Seq<scala.Tuple2<String, String>> toSeq(
      JavaSparkContext spark) {
    return scala.jdk.javaapi.CollectionConverters.asScala(List.of(spark.getConf().getAll()))
        .toSeq();
  }
}
