// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.store.serve.RemoteWriters;
import dev.verbena.store.serve.StoreEndpoint;
import dev.verbena.store.serve.StoreServer;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/** Both ends of {@code bench persist}: this JVM, which appends, and a far one with the store. */
final class PersistBench implements AutoCloseable {
  /** What the far end calls its store. */
  static final String STORE = "conventional";

  /** Bytes of the entries over which the server's cost is counted. */
  static final int COSTED = 64;

  /** Bytes of the longest entry. */
  static final int LONGEST = 1 << 20;

  private final FarJvm far;
  private final VerbsEnd end;
  private final RemoteWriters writers;
  private final DirectAppend direct;
  private final ConventionalAppend conventional;

  PersistBench(AppendSetting setting) {
    far = FarJvm.start();
    String[] opened =
        far.ask(String.join(" ", FarMain.STORE, STORE, setting.line(), String.valueOf(LONGEST)))
            .split(" ", -1);
    end = new VerbsEnd(setting.devices(), CarrierPolicy.AUTOMATIC, LONGEST + Long.BYTES);
    conventional = new ConventionalAppend(STORE, end, far, LONGEST, setting.isTimed());
    end.connect(loopback(opened[2]));
    FarJvm.expect(end.carrier(), far.answer());
    FarJvm.expect("shm", end.carrier());
    writers = RemoteWriters.open(AppendServer.options(setting.devices()));
    direct =
        new DirectAppend(
            writers,
            new StoreEndpoint(
                "persist",
                List.of(loopback(opened[0])),
                Long.parseUnsignedLong(opened[1]),
                StoreServer.WIRE_VERSION),
            far);
  }

  private static InetSocketAddress loopback(String port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
  }

  FarJvm far() {
    return far;
  }

  /** Appends of a length, one-sided. */
  AppendRounds direct(int length, int count) {
    return new AppendRounds(direct, far, length, count);
  }

  /** Appends of a length, by message. */
  AppendRounds conventional(int length, int count) {
    return new AppendRounds(conventional, far, length, count);
  }

  /**
   * What appends cost the process that has the store; finding them there afterwards is not counted,
   * nor is what the process still does on its own account, compiling say, when it is asked to
   * begin.
   */
  ServerCost serverCost(AppendRounds rounds) {
    IdleProcess.await(far.pid());
    ServerCost before = ServerCost.of(far.pid());
    rounds.append();
    ServerCost cost = ServerCost.of(far.pid()).minus(before);
    rounds.expectAll();
    return cost;
  }

  @Override
  public void close() {
    writers.close();
    end.close();
    far.close();
  }
}
