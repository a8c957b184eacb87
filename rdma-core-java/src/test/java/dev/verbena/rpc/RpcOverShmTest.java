// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import org.junit.jupiter.api.Nested;

/** RPC over the software NIC, carrier shm. */
class RpcOverShmTest {
  @Nested
  class Calls extends CallSuite {
    Calls() {
      super(Carrier.SHM);
    }
  }

  @Nested
  class Failures extends FailureSuite {
    Failures() {
      super(Carrier.SHM);
    }
  }

  @Nested
  class Bulk extends BulkSuite {
    Bulk() {
      super(Carrier.SHM);
    }
  }

  @Nested
  class LargeTransfers extends LargeTransferSuite {
    LargeTransfers() {
      super(Carrier.SHM);
    }
  }

  @Nested
  class Handshakes extends HandshakeSuite {
    Handshakes() {
      super(Carrier.SHM);
    }
  }

  @Nested
  class Processes extends ProcessSuite {
    Processes() {
      super(Carrier.SHM);
    }
  }

  @Nested
  class Costs extends CostSuite {
    Costs() {
      super(Carrier.SHM);
    }
  }
}
