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

  @Nested
  class Failures extends FailureSuite {
    Failures() {
      super(Carrier.TCP);
    }
  }

  @Nested
  class Bulk extends BulkSuite {
    Bulk() {
      super(Carrier.TCP);
    }
  }

  @Nested
  class LargeTransfers extends LargeTransferSuite {
    LargeTransfers() {
      super(Carrier.TCP);
    }
  }

  @Nested
  class Handshakes extends HandshakeSuite {
    Handshakes() {
      super(Carrier.TCP);
    }
  }

  @Nested
  class Processes extends ProcessSuite {
    Processes() {
      super(Carrier.TCP);
    }
  }

  @Nested
  class Costs extends CostSuite {
    Costs() {
      super(Carrier.TCP);
    }
  }
}
