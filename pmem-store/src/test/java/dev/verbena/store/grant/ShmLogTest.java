// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

class ShmLogTest extends LogContract {
  @Override
  boolean tcpOnly() {
    return false;
  }

  @Override
  String carrier() {
    return "shm";
  }
}
