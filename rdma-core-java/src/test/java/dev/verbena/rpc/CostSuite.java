// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import static dev.verbena.rpc.RpcFixture.ECHO_INLINE;
import static dev.verbena.rpc.RpcFixture.echo;
import static dev.verbena.rpc.RpcFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.verbena.testing.Await;
import dev.verbena.time.Deadline;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What connections and calls cost. */
abstract class CostSuite extends RpcSuite {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  CostSuite(Carrier carrier) {
    super(carrier);
  }

  private static long[] ownThreads() {
    List<Long> ids = new ArrayList<>();
    for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
      if (thread != null && thread.getThreadName().startsWith("verbena-rpc")) {
        ids.add(thread.getThreadId());
      }
    }
    return ids.stream().mapToLong(Long::longValue).toArray();
  }

  private static long cpuNanos(long[] threads) {
    return LongStream.of(THREADS.getThreadCpuTime(threads)).filter(nanos -> nanos > 0).sum();
  }

  private static long allocatedBytes(long[] threads) {
    return LongStream.of(THREADS.getThreadAllocatedBytes(threads)).filter(b -> b > 0).sum();
  }

  @Test
  void idleConnectionsCostLessThanOnePercentOfAProcessor() {
    RpcServer server = rpc().serve(echo());
    RpcClient client = rpc().client();
    for (int i = 0; i < 4; i++) {
      RpcConnection connection = rpc().connect(client, server.address());
      connection.call(ECHO_INLINE, ByteBuffer.allocate(10), soon());
    }
    long[] threads = ownThreads();
    assertThat(threads).hasSizeGreaterThanOrEqualTo(3);
    // Right after a call threads may still spin for a moment: the first quiet window counts.
    Await.until("two quiet seconds", () -> cpuOver(Duration.ofSeconds(2), threads) < 20_000_000);
  }

  private static long cpuOver(Duration window, long[] threads) {
    long before = cpuNanos(threads);
    Deadline end = Deadline.after(window);
    while (!end.hasPassed()) {
      LockSupport.parkNanos(end.remainingNanos());
    }
    return cpuNanos(threads) - before;
  }

  @Test
  void aSmallCallAllocatesNothing() {
    RpcConnection connection = rpc().connect(echo());
    run(connection, 5_000);
    // The compiler may still be at work, and a starved end goes to sleep, which does allocate: the
    // first round that neither disturbs counts.
    Await.until("a round that allocates nothing", () -> bytesPerCall(connection) < 8);
  }

  private static long bytesPerCall(RpcConnection connection) {
    int calls = 1_000;
    long[] threads = ownThreads();
    long self = Thread.currentThread().getId();
    long before = allocatedBytes(threads) + THREADS.getThreadAllocatedBytes(self);
    run(connection, calls);
    long after = allocatedBytes(threads) + THREADS.getThreadAllocatedBytes(self);
    return (after - before) / calls;
  }

  private static void run(RpcConnection connection, int calls) {
    ByteBuffer request = ByteBuffer.allocate(64);
    ByteBuffer response = ByteBuffer.allocate(64);
    Deadline deadline = Deadline.after(Duration.ofMinutes(2));
    for (int i = 0; i < calls; i++) {
      connection.call(ECHO_INLINE, request, response.clear(), deadline);
    }
  }
}
