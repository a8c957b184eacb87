// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import dev.verbena.rpc.RpcSecret;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
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

  /** The secret, hashed: Spark's may be short, and is not to be used for two things. */
  static RpcSecret of(SparkConf conf, SecurityManager security) {
    String secret =
        security.isAuthenticationEnabled() ? security.getSecretKey() : conf.get(KEY, null);
    if (secret == null) {
      throw new IllegalStateException("the driver has sent no secret: " + KEY + " is not set");
    }
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(NAME.getBytes(StandardCharsets.UTF_8));
      return RpcSecret.of(digest.digest(secret.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException("every Java platform has SHA-256", missing);
    }
  }
}
