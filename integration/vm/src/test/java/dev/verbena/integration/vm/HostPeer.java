// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.vm;

import dev.verbena.rpc.RpcCall;
import dev.verbena.rpc.RpcMethods;
import dev.verbena.rpc.RpcOptions;
import dev.verbena.rpc.RpcSecret;
import dev.verbena.rpc.RpcServer;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.TierOptions;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.store.local.LogEntry;
import dev.verbena.store.serve.ServeOptions;
import dev.verbena.store.serve.StoreEndpoint;
import dev.verbena.store.serve.StoreServer;
import dev.verbena.testing.Await;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.VerbsProvider;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The other host of suite hosts: serves a store on its DAX device, and answers calls, until its
 * guest ends.
 */
final class HostPeer {
  static final InetSocketAddress RPC = new InetSocketAddress("10.78.0.2", 7700);
  static final RpcSecret SECRET =
      RpcSecret.of("known to both hosts".getBytes(StandardCharsets.UTF_8));
  static final String APPLICATION = "two-hosts";

  /** Answers with the incarnation of the store. */
  static final int INCARNATION = 1;

  /** Answers with the request. */
  static final int ECHO = 2;

  /** Answers with the entries of the log whose number is the request, each behind its length. */
  static final int ENTRIES = 3;

  /** Never answers. */
  static final int SILENT = 4;

  private static final InetSocketAddress STORE = new InetSocketAddress("10.78.0.2", 7701);
  private static final String PROVIDER = "rdmacore:rxe0";
  private static final Path POOL = Path.of("/dev/dax0.0");
  private static final long POOL_BYTES = 128L << 20;
  private static final int CONNECTIONS = 16;
  private static final Duration LONGEST_RUN = Duration.ofHours(1);

  private HostPeer() {}

  /** Serves. */
  public static void main(String[] arguments) throws InterruptedException {
    try (LocalBlockStore store =
            LocalBlockStore.open(StoreOptions.of(TierOptions.device(POOL, POOL_BYTES)));
        StoreServer server = StoreServer.open(store, "peer", STORE, serving());
        Device device = open();
        ProtectionDomain domain = device.createProtectionDomain();
        RpcServer rpc = RpcServer.start(device, domain, RPC, options(), methods(store, server))) {
      System.out.println("the peer serves at " + rpc.address());
      new CountDownLatch(1).await(LONGEST_RUN.toSeconds(), TimeUnit.SECONDS);
    }
  }

  /** Opens the device of this host's network card. */
  static Device open() {
    return VerbsProvider.openDevice(PROVIDER, DeviceOptions.defaults());
  }

  /** With time for handshakes of slow processors. */
  static RpcOptions options() {
    return RpcOptions.of(SECRET).withConnections(CONNECTIONS, CONNECTIONS, Await.PATIENCE);
  }

  /**
   * How the store is served and reached; each batch of READs or WRITEs has half of the patience.
   */
  static ServeOptions serving() {
    return ServeOptions.of(SECRET)
        .withProvider(PROVIDER, Path.of("/dev/shm"))
        .withTimeouts(Await.PATIENCE, Await.PATIENCE.dividedBy(2));
  }

  /** Where the peer's store is. */
  static StoreEndpoint store(long incarnation) {
    return new StoreEndpoint("peer", List.of(STORE), incarnation, StoreServer.WIRE_VERSION);
  }

  private static RpcMethods methods(LocalBlockStore store, StoreServer server) {
    return new RpcMethods()
        .add(
            INCARNATION,
            call ->
                call.reply(
                    ByteBuffer.allocate(Long.BYTES)
                        .putLong(server.endpoint().incarnation())
                        .flip()))
        .add(ECHO, call -> call.reply(call.request()))
        .add(ENTRIES, call -> call.reply(entries(store, call)))
        .add(SILENT, call -> {});
  }

  private static ByteBuffer entries(LocalBlockStore store, RpcCall call) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (LogEntry entry : store.logs().entries(APPLICATION, call.request().getInt())) {
      byte[] one = entry.read().orElseThrow();
      bytes.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(one.length).array());
      bytes.writeBytes(one);
    }
    return ByteBuffer.wrap(bytes.toByteArray());
  }
}
