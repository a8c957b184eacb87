// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The conformance suite on provider rdmacore, where the kernel has a device. */
@Tag("rdma")
@NeedsRdmacore
final class RdmacoreConformanceTest {
  @Nested
  final class SendReceive extends SendReceiveConformance {
    SendReceive() {
      super(new Rdmacore());
    }
  }

  @Nested
  final class OneSided extends OneSidedConformance {
    OneSided() {
      super(new Rdmacore());
    }
  }

  @Nested
  final class Atomics extends AtomicConformance {
    Atomics() {
      super(new Rdmacore());
    }
  }

  @Nested
  final class Flushes extends FlushConformance {
    Flushes() {
      super(new Rdmacore());
    }
  }

  @Nested
  final class Windows extends WindowConformance {
    Windows() {
      super(new Rdmacore());
    }
  }

  @Nested
  final class WindowErrors extends WindowErrorConformance {
    WindowErrors() {
      super(new Rdmacore());
    }
  }

  @Nested
  final class Protection extends ProtectionConformance {
    Protection() {
      super(new Rdmacore());
    }
  }

  @Nested
  final class SharedReceive extends SharedReceiveConformance {
    SharedReceive() {
      super(new Rdmacore());
    }
  }

  @Nested
  final class Overrun extends OverrunConformance {
    Overrun() {
      super(new Rdmacore());
    }
  }

  @Nested
  final class States extends StateConformance {
    States() {
      super(new Rdmacore());
    }
  }

  @Nested
  final class Large extends LargeConformance {
    Large() {
      super(new Rdmacore());
    }
  }

  @Nested
  final class Foreign extends ForeignConformance {
    Foreign() {
      super(new Rdmacore());
    }
  }

  @Nested
  final class Queue extends QueueConformance {
    Queue() {
      super(new Rdmacore());
    }
  }

  @Nested
  final class Errors extends ErrorConformance {
    Errors() {
      super(new Rdmacore());
    }
  }

  @Nested
  final class Notification extends NotificationConformance {
    Notification() {
      super(new Rdmacore());
    }
  }

  @Nested
  final class Connection extends ConnectionConformance {
    Connection() {
      super(new Rdmacore());
    }
  }

  @Nested
  final class Stress extends StressConformance {
    Stress() {
      super(new Rdmacore());
    }
  }

  @Nested
  final class Unmapped extends UnmappedConformance {
    Unmapped() {
      super(new Rdmacore());
    }
  }

  @Nested
  final class Processes extends ProcessConformance {
    Processes() {
      super(new Rdmacore());
    }
  }
}
