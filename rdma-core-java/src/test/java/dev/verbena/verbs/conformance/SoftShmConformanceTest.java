// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import org.junit.jupiter.api.Nested;

/** The conformance suite on provider soft, carrier shm. */
final class SoftShmConformanceTest {
  @Nested
  final class SendReceive extends SendReceiveConformance {
    SendReceive() {
      super(new SoftShm());
    }
  }

  @Nested
  final class OneSided extends OneSidedConformance {
    OneSided() {
      super(new SoftShm());
    }
  }

  @Nested
  final class Atomics extends AtomicConformance {
    Atomics() {
      super(new SoftShm());
    }
  }

  @Nested
  final class Flushes extends FlushConformance {
    Flushes() {
      super(new SoftShm());
    }
  }

  @Nested
  final class Windows extends WindowConformance {
    Windows() {
      super(new SoftShm());
    }
  }

  @Nested
  final class WindowErrors extends WindowErrorConformance {
    WindowErrors() {
      super(new SoftShm());
    }
  }

  @Nested
  final class Protection extends ProtectionConformance {
    Protection() {
      super(new SoftShm());
    }
  }

  @Nested
  final class SharedReceive extends SharedReceiveConformance {
    SharedReceive() {
      super(new SoftShm());
    }
  }

  @Nested
  final class Overrun extends OverrunConformance {
    Overrun() {
      super(new SoftShm());
    }
  }

  @Nested
  final class States extends StateConformance {
    States() {
      super(new SoftShm());
    }
  }

  @Nested
  final class Large extends LargeConformance {
    Large() {
      super(new SoftShm());
    }
  }

  @Nested
  final class Foreign extends ForeignConformance {
    Foreign() {
      super(new SoftShm());
    }
  }

  @Nested
  final class Queue extends QueueConformance {
    Queue() {
      super(new SoftShm());
    }
  }

  @Nested
  final class Errors extends ErrorConformance {
    Errors() {
      super(new SoftShm());
    }
  }

  @Nested
  final class Notification extends NotificationConformance {
    Notification() {
      super(new SoftShm());
    }
  }

  @Nested
  final class Connection extends ConnectionConformance {
    Connection() {
      super(new SoftShm());
    }
  }

  @Nested
  final class Stress extends StressConformance {
    Stress() {
      super(new SoftShm());
    }
  }

  @Nested
  final class Mapping extends MappingConformance {
    Mapping() {
      super(new SoftShm());
    }
  }

  @Nested
  final class Processes extends ProcessConformance {
    Processes() {
      super(new SoftShm());
    }
  }
}
