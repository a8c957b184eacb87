// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration;

/** An end-to-end run cannot go on; the message names the object concerned and what can be done. */
public final class IntegrationException extends RuntimeException {
  public IntegrationException(String message) {
    super(message);
  }

  public IntegrationException(String message, Throwable cause) {
    super(message, cause);
  }
}
