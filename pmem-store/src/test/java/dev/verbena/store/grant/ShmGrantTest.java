// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

class ShmGrantTest extends WindowGrantContract {
  @Override
  boolean tcpOnly() {
    return false;
  }

  @Override
  String carrier() {
    return "shm";
  }
}
