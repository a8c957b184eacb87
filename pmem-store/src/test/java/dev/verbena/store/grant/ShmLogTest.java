// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

class ShmLogTest extends LogContract {
  ShmLogTest() {
    super(GrantPath.SHM);
  }
}
