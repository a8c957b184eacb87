// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import java.io.IOException;

/** What came over an agent's socket is not what the protocol allows. */
final class AgentProtocolException extends IOException {
  private static final long serialVersionUID = 1L;

  AgentProtocolException(String message) {
    super("not of an agent's protocol: " + message);
  }
}
