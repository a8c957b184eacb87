// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

class ShmGrantTest extends WindowGrantContract {
  ShmGrantTest() {
    super(GrantPath.SHM);
  }
}
