// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.verbs.conformance.NeedsRdmacore;
import org.junit.jupiter.api.Tag;

@Tag("rdma")
@NeedsRdmacore
class RdmaLogTest extends LogContract {
  RdmaLogTest() {
    super(GrantPath.RDMA);
  }
}
