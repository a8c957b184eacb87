// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

class TcpLogTest extends LogContract {
  @Override
  boolean tcpOnly() {
    return true;
  }

  @Override
  String carrier() {
    return "tcp";
  }
}
