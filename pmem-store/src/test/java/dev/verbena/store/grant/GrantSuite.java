// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.memory.DurabilityDomain;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests that begin with a served store and a writer that is connected to it. */
abstract class GrantSuite {
  final GrantPath path;
  GrantFixture fixture;
  GrantWriter writer;

  /** Bytes of the store's pools in use at the beginning. */
  long before;

  GrantSuite(GrantPath path) {
    this.path = path;
  }

  @BeforeEach
  final void start() {
    begin(GrantOptions.defaults());
  }

  private void begin(GrantOptions options) {
    writer = null;
    fixture = new GrantFixture(path.provider, path.tcpOnly, DurabilityDomain.PROCESS, options);
    writer = fixture.connect();
    before = fixture.used();
  }

  @AfterEach
  final void stop() {
    if (writer != null) {
      writer.close();
    }
    fixture.close();
  }

  final void beginAgain(GrantOptions options) {
    stop();
    begin(options);
  }
}
