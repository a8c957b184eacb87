// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import org.junit.jupiter.api.Nested;

/** RPC over the software NIC, carrier tcp. */
class RpcOverTcpTest {
  @Nested
  class Calls extends CallSuite {
    Calls() {
      super(Carrier.TCP);
    }
  }
}
