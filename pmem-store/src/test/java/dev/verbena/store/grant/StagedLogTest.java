// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

class StagedLogTest extends LogContract {
  StagedLogTest() {
    super(GrantPath.STAGED);
  }
}
