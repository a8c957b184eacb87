// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.conf;

/** A configuration that can't be run; the message is one line and names the key. */
public final class ConfigurationException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /** With the message alone. */
  public ConfigurationException(String message) {
    super(message);
  }

  /** With what found it. */
  public ConfigurationException(String message, Throwable cause) {
    super(message, cause);
  }
}
