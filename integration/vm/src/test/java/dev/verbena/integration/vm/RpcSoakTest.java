// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.vm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.integration.vm.Link.Packets;
import dev.verbena.rpc.RpcCall;
import dev.verbena.rpc.RpcMethods;
import dev.verbena.rpc.RpcServer;
import dev.verbena.testing.Await;
import dev.verbena.testing.ChildJvm;
import dev.verbena.testing.OpenFiles;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.ProtectionDomain;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * RPC over soft-RoCE for a while: a server here, clients in JVMs of their own that connect again
 * and again, and some of which are killed in the middle of calls. {@value #SEED} is the seed of
 * when and what.
 */
final class RpcSoakTest {
  private static final String SEED = "VERBENA_VM_SEED";
  private static final String CARRIER = "rxe";
  private static final int KILLS = 3;
  private static final int ROUNDS = 4;
  private static final int CALLS_A_ROUND = 160;

  /** What a server without connections keeps: one region of buffers each for both directions. */
  private static final int KEPT_REGIONS = 3;

  private final AtomicLong served = new AtomicLong();
  private final AtomicLong servedBytes = new AtomicLong();
  private final AtomicReference<String> wrong = new AtomicReference<>();

  @Test
  @Timeout(600)
  void clientsComeGoAndDieAndNothingIsLeft() {
    String given = System.getenv(SEED);
    long seed =
        given == null || given.isEmpty() ? System.nanoTime() & 0xffff : Long.parseLong(given);
    System.out.println("RPC soak: " + SEED + "=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    Link link = Link.FIRST;
    openAndClose(link);
    OpenFiles files = OpenFiles.now();
    RdmaResources before = RdmaResources.of(link);
    Packets packets = link.packets();
    try (Device device = SoakEnds.open(link.device());
        ProtectionDomain domain = device.createProtectionDomain();
        RpcServer server =
            RpcServer.start(
                device,
                domain,
                new InetSocketAddress(link.address(), 0),
                SoakEnds.options(),
                new RpcMethods().add(SoakCall.METHOD, this::serve))) {
      RdmaResources idle = RdmaResources.of(link);
      System.out.println("RPC soak: a server alone has " + idle);
      for (int kill = 0; kill < KILLS; kill++) {
        killOne(link, server, random);
        awaitIdle(link, server, idle, "client killed after " + served + " calls");
      }
      letOneEnd(link, server, random);
      awaitIdle(link, server, idle, "all clients ended");
      // Its counter may be behind its handlers for a moment.
      Await.until(
          () -> served + " calls served, counted " + server.statistics(),
          () -> server.statistics().calls() == served.get());
      assertThat(server.statistics().protocolFailures()).isZero();
      assertThat(server.statistics().authenticationFailures()).isZero();
    }
    assertThat(wrong).as("a request with wrong bytes").hasValue(null);
    Packets counted = link.packets().since(packets);
    System.out.printf(
        "RPC soak: %d calls, %d bytes of requests, %s%n", served.get(), servedBytes.get(), counted);
    // Each request crossed the link in packets of at most the MTU, and so did all answers but those
    // that clients died before.
    assertThat(counted.received()).isGreaterThanOrEqualTo(servedBytes.get() / link.mtu());
    assertThat(RdmaResources.of(link)).isEqualTo(before);
    files.awaitReturn();
  }

  /** librdmacm keeps a context of each device, and what it opened, until its process ends. */
  private static void openAndClose(Link link) {
    try (Device device = SoakEnds.open(link.device())) {
      device.listen(new InetSocketAddress(link.address(), 0), 1).close();
    }
  }

  private void killOne(Link link, RpcServer server, SplittableRandom random) {
    long at = served.get() + random.nextInt(20, 300);
    try (ChildJvm client = start(link, server, random, Integer.MAX_VALUE)) {
      Await.until(
          () -> at + " calls, of which " + served + " were served; client: " + client.errors(),
          () -> served.get() >= at || !client.isAlive());
      assertThat(client.isAlive()).as(client.errors()).isTrue();
      client.kill();
    }
  }

  private void letOneEnd(Link link, RpcServer server, SplittableRandom random) {
    long start = served.get();
    try (ChildJvm client = start(link, server, random, ROUNDS)) {
      for (int round = 0; round < ROUNDS; round++) {
        assertThat(client.nextLine()).isEqualTo(CARRIER + " " + CALLS_A_ROUND);
      }
      assertThat(client.awaitExit()).as(client.errors()).isZero();
    }
    assertThat(served.get() - start).isEqualTo((long) ROUNDS * CALLS_A_ROUND);
  }

  private static ChildJvm start(Link link, RpcServer server, SplittableRandom random, int rounds) {
    return ChildJvm.start(
        RpcSoakClient.class,
        link.device(),
        link.address(),
        Integer.toString(server.address().getPort()),
        Long.toString(random.nextLong(Long.MAX_VALUE >> 1)),
        Integer.toString(rounds),
        Integer.toString(CALLS_A_ROUND));
  }

  /** The kernel holds for the server what it held before any client came, and buffers for more. */
  private static void awaitIdle(Link link, RpcServer server, RdmaResources idle, String when) {
    Await.until(
        () -> when + ": the end of " + server.statistics().connections() + " connections",
        () -> server.statistics().connections() == 0);
    Await.until(
        () -> when + ": " + RdmaResources.of(link) + ", expected " + idle,
        () -> RdmaResources.of(link).but("mr").equals(idle.but("mr")));
    RdmaResources now = RdmaResources.of(link);
    System.out.println("RPC soak: " + when + ", " + now);
    assertThat(now.count("mr")).isBetween(1, KEPT_REGIONS);
  }

  private void serve(RpcCall call) {
    SoakCall soak = SoakCall.of(call.request());
    if (!soak.request().equals(call.request())) {
      wrong.compareAndSet(null, soak + " of " + call.peer());
      call.fail(1, soak + ": the request's bytes are wrong");
      return;
    }
    servedBytes.addAndGet(call.request().remaining());
    served.incrementAndGet();
    call.reply(soak.answer());
  }
}
