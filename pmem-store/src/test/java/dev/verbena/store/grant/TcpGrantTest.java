// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

class TcpGrantTest extends WindowGrantContract {
  @Override
  boolean tcpOnly() {
    return true;
  }

  @Override
  String carrier() {
    return "tcp";
  }
}
