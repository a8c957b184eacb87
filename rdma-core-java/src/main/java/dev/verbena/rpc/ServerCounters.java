// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What a server counts. */
final class ServerCounters {
  final AtomicInteger connections = new AtomicInteger();
  final AtomicInteger unauthenticated = new AtomicInteger();
  final LongAdder calls = new LongAdder();
  final LongAdder overloaded = new LongAdder();
  final LongAdder authenticationFailures = new LongAdder();
  final LongAdder versionFailures = new LongAdder();
  final LongAdder protocolFailures = new LongAdder();

  RpcServer.Statistics snapshot() {
    return new RpcServer.Statistics(
        connections.get(),
        unauthenticated.get(),
        calls.sum(),
        overloaded.sum(),
        authenticationFailures.sum(),
        versionFailures.sum(),
        protocolFailures.sum());
  }
}
