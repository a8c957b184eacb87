// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;
import dev.verbena.memory.MappedMemory;
import dev.verbena.rpc.RpcSecret;
import dev.verbena.store.PoolKind;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.TierOptions;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.store.serve.ServeOptions;
import dev.verbena.store.serve.StoreEndpoint;
import dev.verbena.store.serve.StoreServer;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.WorkCompletion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The far end of {@code bench persist}: a store that is served, so that its peer can append to a
 * log directly; and the conventional path beside it, in which a message brings the entry and this
 * end's thread copies it into the same store, persists it and answers. It is as lean as verbs
 * allow: no threads in between, one copy, and the checksum is the sender's.
 */
final class AppendServer implements Echo {
  /** Whose logs they are. */
  static final String APPLICATION = "bench-persist";

  /** The log of the direct path. */
  static final int DIRECT = 1;

  /** The log of the conventional path. */
  static final int CONVENTIONAL = 2;

  private static final long MEMORY_BYTES = 768L << 20;
  private static final long FILE_BYTES = 128L << 20;
  private static final RpcSecret SECRET =
      RpcSecret.of("both ends are of one benchmark".getBytes(StandardCharsets.UTF_8));

  private final LocalBlockStore store;
  private final StoreServer server;
  private final VerbsEnd end;
  private final MappedMemory memory;
  private final MessageWait wait;
  private final ReceiveRequest receive;
  private final SendRequest reply = new SendRequest(1);
  private final ByteBuffer answer = ByteBuffer.allocateDirect(Long.BYTES);
  private final boolean timed;
  private long appendNanos;
  private long replyNanos;

  /**
   * Opens the store.
   *
   * @param longest bytes of the longest entry
   */
  AppendServer(AppendSetting setting, int longest) {
    timed = setting.isTimed();
    store = LocalBlockStore.open(StoreOptions.of(tier(setting)));
    server =
        StoreServer.open(
            store,
            "persist",
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            options(setting.devices()));
    end = new VerbsEnd(setting.devices(), CarrierPolicy.AUTOMATIC, longest);
    memory = end.region().memory();
    wait = new MessageWait(end, setting.waiting());
    receive =
        new ReceiveRequest(1)
            .begin(0)
            .buffer(end.region().address(), longest, end.region().localKey());
    end.queuePair().postReceive(receive);
  }

  private static TierOptions tier(AppendSetting setting) {
    Path prefix = setting.pools().resolve("persist");
    long bytes = setting.kind() == PoolKind.MEMORY ? MEMORY_BYTES : FILE_BYTES;
    return new TierOptions(setting.kind(), prefix, bytes, bytes, setting.domain(), true, "");
  }

  /** How both ends open their stores' devices. */
  static ServeOptions options(Path directory) {
    return ServeOptions.of(SECRET).withProvider("soft", directory);
  }

  StoreEndpoint endpoint() {
    return server.endpoint();
  }

  VerbsEnd end() {
    return end;
  }

  @Override
  public void ask(long number) {
    throw new IntegrationException("this is the far end");
  }

  @Override
  public void answer(long number) {
    WorkCompletion message = wait.next(Opcode.RECEIVE);
    long arrived = now();
    store
        .logs()
        .append(APPLICATION, CONVENTIONAL, memory, 0, message.byteLength(), message.immediate());
    long appended = now();
    end.queuePair().postReceive(receive);
    end.queuePair().postSend(reply.send(number).inline(answer, 0, Long.BYTES).signaled());
    appendNanos += appended - arrived;
    replyNanos += now() - appended;
  }

  private long now() {
    return timed ? System.nanoTime() : 0;
  }

  FarTimes times() {
    return new FarTimes(store.persistNanos(), appendNanos, replyNanos);
  }

  /** Removes what was appended; returns how many entries each log had. */
  String trim() {
    int direct = store.logs().trim(APPLICATION, DIRECT, Long.MAX_VALUE);
    int conventional = store.logs().trim(APPLICATION, CONVENTIONAL, Long.MAX_VALUE);
    return direct + " " + conventional;
  }

  /** The longest that either end waits for the other. */
  static Duration patience() {
    return Duration.ofSeconds(60);
  }

  @Override
  public void close() {
    end.close();
    server.close();
    store.close();
  }
}
