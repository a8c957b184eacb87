// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import org.junit.jupiter.api.Nested;

/** The conformance suite on provider soft, carrier tcp. */
final class SoftTcpConformanceTest {
  @Nested
  final class SendReceive extends SendReceiveConformance {
    SendReceive() {
      super(new SoftTcp());
    }
  }

  @Nested
  final class OneSided extends OneSidedConformance {
    OneSided() {
      super(new SoftTcp());
    }
  }

  @Nested
  final class Atomics extends AtomicConformance {
    Atomics() {
      super(new SoftTcp());
    }
  }

  @Nested
  final class Flushes extends FlushConformance {
    Flushes() {
      super(new SoftTcp());
    }
  }

  @Nested
  final class Windows extends WindowConformance {
    Windows() {
      super(new SoftTcp());
    }
  }

  @Nested
  final class WindowErrors extends WindowErrorConformance {
    WindowErrors() {
      super(new SoftTcp());
    }
  }

  @Nested
  final class Protection extends ProtectionConformance {
    Protection() {
      super(new SoftTcp());
    }
  }

  @Nested
  final class SharedReceive extends SharedReceiveConformance {
    SharedReceive() {
      super(new SoftTcp());
    }
  }

  @Nested
  final class Overrun extends OverrunConformance {
    Overrun() {
      super(new SoftTcp());
    }
  }

  @Nested
  final class States extends StateConformance {
    States() {
      super(new SoftTcp());
    }
  }

  @Nested
  final class Large extends LargeConformance {
    Large() {
      super(new SoftTcp());
    }
  }

  @Nested
  final class Foreign extends ForeignConformance {
    Foreign() {
      super(new SoftTcp());
    }
  }

  @Nested
  final class Queue extends QueueConformance {
    Queue() {
      super(new SoftTcp());
    }
  }

  @Nested
  final class Errors extends ErrorConformance {
    Errors() {
      super(new SoftTcp());
    }
  }

  @Nested
  final class Notification extends NotificationConformance {
    Notification() {
      super(new SoftTcp());
    }
  }

  @Nested
  final class Connection extends ConnectionConformance {
    Connection() {
      super(new SoftTcp());
    }
  }

  @Nested
  final class Stress extends StressConformance {
    Stress() {
      super(new SoftTcp());
    }
  }

  @Nested
  final class Unmapped extends UnmappedConformance {
    Unmapped() {
      super(new SoftTcp());
    }
  }

  @Nested
  final class Processes extends ProcessConformance {
    Processes() {
      super(new SoftTcp());
    }
  }
}
