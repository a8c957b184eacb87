// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

class TcpLogTest extends LogContract {
  TcpLogTest() {
    super(GrantPath.TCP);
  }
}
