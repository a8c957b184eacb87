// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;

/**
 * The secret that stores ask for: Spark's own under {@code spark.authenticate}, else 256 random
 * bits that the driver makes. The latter travel in the open configuration, and only keep
 * applications apart.
 */
final class StoreSecret {
  /** Under the prefix by which Spark ships a shuffle plug-in's configuration to executors. */
  static final String NAME = "verbena.secret";

  /** "secret" has Spark redact its value wherever it shows the configuration. */
  static final String KEY = "spark.shuffle.plugin.__config__." + NAME;

  private static final int BYTES = 32;

  private StoreSecret() {}

  static String random() {
    byte[] bits = new byte[BYTES];
    new SecureRandom().nextBytes(bits);
    return HexFormat.of().formatHex(bits);
  }

  static byte[] of(SparkConf conf, SecurityManager security) {
    String secret =
        security.isAuthenticationEnabled() ? security.getSecretKey() : conf.get(KEY, null);
    if (secret == null) {
      throw new IllegalStateException("the driver has sent no secret: " + KEY + " is not set");
    }
    return secret.getBytes(StandardCharsets.UTF_8);
  }
}
