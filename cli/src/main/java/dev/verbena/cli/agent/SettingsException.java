// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.agent;

/** A settings file is wrong; the message names the file and the key. */
public final class SettingsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SettingsException(String message, Throwable cause) {
    super(message, cause);
  }
}
