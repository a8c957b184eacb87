// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;
import dev.verbena.store.PoolKind;
import dev.verbena.store.serve.RemoteWriters;
import dev.verbena.store.serve.StoreEndpoint;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * Both ends of {@code bench persist} for one kind of pool and one way in which the conventional
 * path's server waits: this JVM, which appends, and a far one with the store.
 */
final class PersistBench implements AutoCloseable {
  /** What the far end calls its store. */
  static final String STORE = "conventional";

  /** Bytes of the entries over which the server's cost is counted. */
  static final int COSTED = 64;

  private static final int LONGEST = 1 << 20;

  private final PoolKind kind;
  private final VerbsEcho.Waiting waiting;
  private final FarJvm far;
  private final VerbsEnd end;
  private final RemoteWriters writers;
  private final DirectAppend direct;
  private final ConventionalAppend conventional;

  PersistBench(Path directory, PoolKind kind, VerbsEcho.Waiting waiting) {
    this.kind = kind;
    this.waiting = waiting;
    far = FarJvm.start();
    String[] opened =
        far.ask(
                String.join(
                    " ",
                    FarMain.STORE,
                    STORE,
                    directory.toString(),
                    kind.name(),
                    waiting.name(),
                    String.valueOf(LONGEST)))
            .split(" ", -1);
    end = new VerbsEnd(directory, CarrierPolicy.AUTOMATIC, LONGEST + Long.BYTES);
    conventional = new ConventionalAppend(STORE, end, far, LONGEST);
    end.connect(loopback(opened[2]));
    FarJvm.expect(end.carrier(), far.answer());
    FarJvm.expect("shm", end.carrier());
    writers = RemoteWriters.open(AppendServer.options(directory));
    direct =
        new DirectAppend(
            writers,
            new StoreEndpoint(
                "persist",
                List.of(loopback(opened[0])),
                Long.parseUnsignedLong(opened[1]),
                dev.verbena.store.serve.StoreServer.WIRE_VERSION));
  }

  private static InetSocketAddress loopback(String port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
  }

  FarJvm far() {
    return far;
  }

  /** Latency of appends of a length. */
  Comparison latency(int length, int count, int warmUps, int rounds) {
    Metric metric =
        new Metric(benchCase("append_" + length + "B"), "latency", "us", Metric.Better.LOWER);
    return Comparison.run(
        metric,
        new AppendRounds(direct, far, length, count),
        new AppendRounds(conventional, far, length, count),
        warmUps,
        rounds);
  }

  /**
   * What {@code count} appends of {@link #COSTED} bytes cost the process that has the store;
   * finding them there afterwards is not counted, of either.
   */
  ServerCost serverCost(boolean ours, int count) {
    AppendRounds rounds = new AppendRounds(ours ? direct : conventional, far, COSTED, count);
    ServerCost before = ServerCost.of(far.pid());
    rounds.append();
    ServerCost cost = ServerCost.of(far.pid()).minus(before);
    rounds.expectAll();
    return cost;
  }

  private String benchCase(String what) {
    return what
        + "_"
        + kind.name().toLowerCase(java.util.Locale.ROOT)
        + (waiting == VerbsEcho.Waiting.POLL ? "_polling" : "_sleeping");
  }

  @Override
  public void close() {
    writers.close();
    end.close();
    try {
      far.close();
    } catch (RuntimeException e) {
      throw new IntegrationException("the far end did not close", e);
    }
  }
}
