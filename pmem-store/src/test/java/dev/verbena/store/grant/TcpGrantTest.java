// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

class TcpGrantTest extends WindowGrantContract {
  TcpGrantTest() {
    super(GrantPath.TCP);
  }
}
