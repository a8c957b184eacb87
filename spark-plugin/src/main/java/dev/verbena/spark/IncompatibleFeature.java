// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import java.util.List;
import java.util.Optional;
import org.apache.spark.SparkConf;

/**
 * A feature of Spark that this shuffle can't keep the promise of, so that the application needs
 * Spark's own: what serves map outputs from files, and what promises that nothing readable crosses
 * the network. Push-based shuffle works only with the external shuffle service, so its key is not
 * asked.
 *
 * @param key the key that turns it on
 * @param name what people call it
 * @param unless the key with which it can be combined after all; empty if there is none
 */
record IncompatibleFeature(String key, String name, String unless) {
  private static final String ENCRYPTED_TRANSFER = "encrypted block transfer";
  private static final String ENCRYPTED_BLOCKS = "spark.io.encryption.enabled";

  private static final List<IncompatibleFeature> ALL =
      List.of(
          new IncompatibleFeature(
              "spark.shuffle.service.enabled", "the external shuffle service", ""),
          new IncompatibleFeature(
              "spark.storage.decommission.fallbackStorage.path", "fallback storage", ""),
          new IncompatibleFeature(
              "spark.network.crypto.enabled", ENCRYPTED_TRANSFER, ENCRYPTED_BLOCKS),
          new IncompatibleFeature("spark.ssl.rpc.enabled", ENCRYPTED_TRANSFER, ENCRYPTED_BLOCKS),
          new IncompatibleFeature(
              "spark.authenticate.enableSaslEncryption", ENCRYPTED_TRANSFER, ENCRYPTED_BLOCKS));

  /** The first one that is on and can't be combined with what else is set. */
  static Optional<IncompatibleFeature> in(SparkConf conf) {
    return ALL.stream()
        .filter(feature -> isOn(conf, feature.key))
        .filter(feature -> feature.unless.isEmpty() || !isOn(conf, feature.unless))
        .findFirst();
  }

  /** What to set to have both; empty if nothing helps. */
  String remedy() {
    return unless.isEmpty() ? "" : " (with " + unless + " = 'true' they go together)";
  }

  private static boolean isOn(SparkConf conf, String key) {
    String value = conf.get(key, "");
    return !value.isEmpty() && !value.equalsIgnoreCase("false");
  }
}
