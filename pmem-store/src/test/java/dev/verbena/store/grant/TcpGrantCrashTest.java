// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

class TcpGrantCrashTest extends GrantCrashContract {
  @Override
  boolean tcpOnly() {
    return true;
  }
}
