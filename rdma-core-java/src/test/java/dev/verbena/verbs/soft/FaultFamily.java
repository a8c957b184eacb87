// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.FlushLevel;
import dev.verbena.verbs.FlushType;
import dev.verbena.verbs.SendRequest;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;

/** The kinds of operations under which faults are tried, each as one round of requests. */
enum FaultFamily {
  SEND {
    @Override
    List<SendRequest> round(FaultEnd self, FaultOffer to, int round) {
      return List.of(self.local(new SendRequest(1).send(round), FaultEnd.MESSAGE));
    }
  },
  SEND_INLINE {
    @Override
    List<SendRequest> round(FaultEnd self, FaultOffer to, int round) {
      return List.of(
          new SendRequest(1)
              .sendWithImmediate(round, round)
              .inline(ByteBuffer.allocateDirect(64), 0, 64)
              .solicited());
    }
  },
  FOREIGN_SEND {
    @Override
    List<SendRequest> round(FaultEnd self, FaultOffer to, int round) {
      return SEND.round(self, to, round);
    }
  },
  SEND_INVALIDATE {
    @Override
    List<SendRequest> round(FaultEnd self, FaultOffer to, int round) {
      return round < to.windows().size()
          ? List.of(new SendRequest(1).sendWithInvalidate(round, to.windows().get(round)))
          : SEND.round(self, to, round);
    }
  },
  WRITE {
    @Override
    List<SendRequest> round(FaultEnd self, FaultOffer to, int round) {
      return List.of(
          self.local(
              new SendRequest(1).write(round, to.main().address(), to.main().key()),
              FaultEnd.TARGET));
    }
  },
  WINDOW_WRITE {
    @Override
    List<SendRequest> round(FaultEnd self, FaultOffer to, int round) {
      return List.of(
          self.local(
              new SendRequest(1).write(round, to.main().address(), to.windows().get(0)),
              FaultEnd.TARGET));
    }
  },
  WRITE_IMMEDIATE {
    @Override
    List<SendRequest> round(FaultEnd self, FaultOffer to, int round) {
      return List.of(
          self.local(
              new SendRequest(1)
                  .writeWithImmediate(round, to.main().address(), to.main().key(), round),
              FaultEnd.MESSAGE));
    }
  },
  READ {
    @Override
    List<SendRequest> round(FaultEnd self, FaultOffer to, int round) {
      return List.of(
          self.local(
              new SendRequest(1).read(round, to.main().address(), to.main().key()),
              FaultEnd.TARGET));
    }
  },
  ATOMIC {
    @Override
    List<SendRequest> round(FaultEnd self, FaultOffer to, int round) {
      long address = to.main().address();
      int key = to.main().key();
      return List.of(
          self.local(new SendRequest(1).fetchAndAdd(round, address, key, 1), Long.BYTES),
          self.local(
              new SendRequest(1).compareAndSwap(round, address + 8, key, round, round + 1),
              Long.BYTES),
          new SendRequest(1).atomicWrite(round, address + 16, key, round));
    }
  },
  FLUSH {
    @Override
    List<SendRequest> round(FaultEnd self, FaultOffer to, int round) {
      long address = to.persistent().address();
      int key = to.persistent().key();
      return List.of(
          self.local(new SendRequest(1).write(round, address, key), FaultEnd.MESSAGE),
          new SendRequest(1)
              .flush(
                  round, address, key, FaultEnd.MESSAGE, FlushType.PERSISTENT, FlushLevel.RANGE));
    }
  },
  FOREIGN {
    @Override
    List<SendRequest> round(FaultEnd self, FaultOffer to, int round) {
      long address = to.foreign().address();
      int key = to.foreign().key();
      return List.of(
          self.local(new SendRequest(1).write(round, address, key), FaultEnd.MESSAGE),
          self.local(new SendRequest(1).read(round, address, key), FaultEnd.MESSAGE),
          self.local(new SendRequest(1).fetchAndAdd(round, address, key, 1), Long.BYTES));
    }
  },
  WINDOW {
    @Override
    List<SendRequest> round(FaultEnd self, FaultOffer to, int round) {
      return List.of(
          self.bind(round, self.scratch(), EnumSet.of(AccessFlag.REMOTE_READ)),
          new SendRequest(1).localInvalidate(round, self.scratch().remoteKey()));
    }
  };

  /** The requests of one round, to be posted in turn and each awaited. */
  abstract List<SendRequest> round(FaultEnd self, FaultOffer to, int round);
}
