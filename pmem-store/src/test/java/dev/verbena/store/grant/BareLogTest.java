// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

class BareLogTest extends LogContract {
  BareLogTest() {
    super(GrantPath.BARE);
  }
}
