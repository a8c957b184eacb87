// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

class StagedGrantTest extends GrantContract {
  StagedGrantTest() {
    super(GrantPath.STAGED);
  }
}
