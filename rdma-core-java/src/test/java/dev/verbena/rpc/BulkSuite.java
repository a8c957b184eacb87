// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import static dev.verbena.rpc.RpcFixture.ECHO;
import static dev.verbena.rpc.RpcFixture.echo;
import static dev.verbena.rpc.RpcFixture.soon;
import static dev.verbena.rpc.RpcFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.Await;
import dev.verbena.testing.Pattern;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.MemoryWindow;
import dev.verbena.verbs.RemoteMapping;
import dev.verbena.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** One-sided transfers. */
abstract class BulkSuite extends RpcSuite {
  private static final long BOUND = 64L << 20;

  BulkSuite(Carrier carrier) {
    super(carrier);
  }

  /** A pool of the server whose buffers clients may read and write. */
  private BufferPool serverPool() {
    return rpc()
        .own(
            new BufferPool(
                rpc().serverDevice(),
                rpc().serverDomain(),
                EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE),
                BOUND));
  }

  private BufferPool clientPool() {
    return rpc()
        .own(
            new BufferPool(
                rpc().clientDevice(),
                rpc().clientDomain(),
                EnumSet.of(AccessFlag.LOCAL_WRITE),
                BOUND));
  }

  @Test
  void writesAndReadsGoStraightToTheServersMemory() {
    RpcConnection connection = rpc().connect(echo());
    long length = 5_000_000;
    try (RegisteredBuffer remote = serverPool().acquire(length, soon());
        RegisteredBuffer source = clientPool().acquire(length, soon());
        RegisteredBuffer target = clientPool().acquire(length, soon())) {
      Pattern pattern = new Pattern(3);
      pattern.fill(source.memory(), source.offset(), length);
      BulkBatch batch = new BulkBatch(2);
      batch.write(source, 0, remote.address(), remote.remoteKey(), length);
      connection.bulk().transfer(batch, soon());
      assertThat(pattern.mismatch(remote.memory(), remote.offset(), length)).isEqualTo(-1);
      batch.clear().read(target, 0, remote.address(), remote.remoteKey(), length);
      connection.bulk().transfer(batch, soon());
      assertThat(pattern.mismatch(target.memory(), target.offset(), length)).isEqualTo(-1);
    }
  }

  @Test
  void aServerOpensAWindowToItsCallerAloneAndHearsOfConnectionsThatEnd() {
    Queue<RpcPeer> ended = new ConcurrentLinkedQueue<>();
    MappedMemory memory = rpc().own(rpc().serverDevice().allocate(4096));
    MemoryRegion region =
        rpc()
            .own(
                rpc()
                    .serverDomain()
                    .register(
                        memory,
                        0,
                        4096,
                        EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.WINDOW_BIND)));
    MemoryWindow window = rpc().own(rpc().serverDomain().allocateWindow());
    RpcMethods methods =
        new RpcMethods()
            .add(
                ECHO,
                call -> {
                  BulkBatch bind =
                      new BulkBatch(1)
                          .bind(window, region, 64, 8, EnumSet.of(AccessFlag.REMOTE_WRITE));
                  call.bulk().transfer(bind, call.deadline());
                  call.reply(text("bound"));
                })
            .onConnectionEnd(ended::add);
    RpcServer server = rpc().serve(methods);
    RpcConnection caller = rpc().connect(server);
    caller.call(ECHO, text("bind"), soon());
    long address = region.address() + 64;
    int key = window.remoteKey();
    caller.bulk().transfer(new BulkBatch(1).publish(address, key, 42), soon());
    assertThat(memory.getLong(64)).isEqualTo(42);

    RpcConnection other = rpc().connect(server);
    assertThatThrownBy(
            () -> other.bulk().transfer(new BulkBatch(1).publish(address, key, 7), soon()))
        .isInstanceOfSatisfying(
            RpcException.class,
            e -> assertThat(e.code()).isEqualTo(RpcException.Code.REMOTE_ACCESS));
    Await.until("the end of the connection", () -> !ended.isEmpty());
    assertThat(ended)
        .extracting(RpcPeer::connectionId)
        .containsExactly(other.peer().connectionId());
    assertThat(memory.getLong(64)).isEqualTo(42);
  }

  @Test
  void aBatchLargerThanTheSendQueueIsPostedInParts() {
    RpcConnection connection = rpc().connect(echo());
    long pieces = 1000;
    int piece = 512;
    try (RegisteredBuffer remote = serverPool().acquire(pieces * piece, soon());
        RegisteredBuffer target = clientPool().acquire(pieces * piece, soon())) {
      Pattern pattern = new Pattern(4);
      pattern.fill(remote.memory(), remote.offset(), pieces * piece);
      BulkBatch batch = new BulkBatch(1);
      for (int i = 0; i < pieces; i++) {
        long at = (long) i * piece;
        batch.read(target, at, remote.address() + at, remote.remoteKey(), piece);
        batch.read(target, at, remote.address() + at, remote.remoteKey(), 0);
      }
      connection.bulk().transfer(batch, soon());
      assertThat(batch.totalBytes()).isEqualTo(pieces * piece);
      assertThat(pattern.mismatch(target.memory(), target.offset(), pieces * piece)).isEqualTo(-1);
    }
  }

  @Test
  void batchesOfSeveralThreadsAndCallsRunAtTheSameTime() {
    RpcConnection connection = rpc().connect(echo());
    BufferPool local = clientPool();
    int length = 200_000;
    List<CompletableFuture<Void>> all = new ArrayList<>();
    try (RegisteredBuffer remote = serverPool().acquire(length, soon())) {
      Pattern pattern = new Pattern(5);
      pattern.fill(remote.memory(), remote.offset(), length);
      for (int t = 0; t < 4; t++) {
        all.add(
            CompletableFuture.runAsync(
                () -> readManyTimes(connection, local, remote, pattern, length)));
      }
      all.forEach(one -> Await.result("a reader", one));
    }
  }

  private static void readManyTimes(
      RpcConnection connection,
      BufferPool local,
      RegisteredBuffer remote,
      Pattern pattern,
      int length) {
    BulkBatch batch = new BulkBatch(4);
    for (int i = 0; i < 50; i++) {
      try (RegisteredBuffer target = local.acquire(length, soon())) {
        target.memory().zero(target.offset(), length);
        batch.clear().read(target, 0, remote.address(), remote.remoteKey(), length);
        if (i % 2 == 0) {
          connection.bulk().transfer(batch, soon());
        } else {
          Await.result("a batch", connection.bulk().transferAsync(batch, soon()));
        }
        assertThat(pattern.mismatch(target.memory(), target.offset(), length)).isEqualTo(-1);
      }
      assertThat(text(connection.call(ECHO, text("between"), soon()))).isEqualTo("between");
    }
  }

  @Test
  void aCallbackMaySubmitTheNextBatch() {
    RpcConnection connection = rpc().connect(echo());
    CompletableFuture<Integer> chain = new CompletableFuture<>();
    try (RegisteredBuffer remote = serverPool().acquire(4096, soon());
        RegisteredBuffer target = clientPool().acquire(4096, soon())) {
      BulkBatch batch = new BulkBatch(1);
      BulkCallback again =
          new BulkCallback() {
            private int rounds;

            @Override
            public void completed(BulkBatch done, RpcException failure) {
              if (failure != null) {
                chain.completeExceptionally(failure);
              } else if (++rounds == 100) {
                chain.complete(rounds);
              } else {
                done.clear().read(target, 0, remote.address(), remote.remoteKey(), 4096);
                connection.bulk().submit(done, soon(), this);
              }
            }
          };
      batch.read(target, 0, remote.address(), remote.remoteKey(), 4096);
      connection.bulk().submit(batch, soon(), again);
      assertThat(Await.result("a chain of batches", chain)).isEqualTo(100);
    }
  }

  @Test
  void anEmptyBatchIsDoneAtOnce() {
    RpcConnection connection = rpc().connect(echo());
    assertThat(connection.bulk().transferAsync(new BulkBatch(1), soon())).isCompleted();
  }

  @Test
  void aReadBeyondTheRegionBreaksTheConnectionAndTellsWhy() {
    RpcServer server = rpc().serve(echo().add(20, call -> {}));
    RpcConnection connection = rpc().connect(server);
    CompletableFuture<ByteBuffer> open = connection.callAsync(20, text("open"), soon());
    BufferPool local = clientPool();
    try (RegisteredBuffer remote = serverPool().acquire(4096, soon())) {
      RegisteredBuffer target = local.acquire(4096, soon());
      BulkBatch batch = new BulkBatch(1);
      batch.read(target, 0, remote.address() + (32L << 20), remote.remoteKey(), 4096);
      target.close();
      expectFailure(
          RpcException.Code.REMOTE_ACCESS, () -> connection.bulk().transfer(batch, soon()));
      RpcException broken = expectFailure(RpcException.Code.DISCONNECTED, "an open call", open);
      assertThat(((RpcException) broken.getCause()).code())
          .isEqualTo(RpcException.Code.REMOTE_ACCESS);
      assertThat(local.isIdle()).as("the batch let its buffer go").isTrue();
      expectFailure(
          RpcException.Code.DISCONNECTED,
          () -> connection.bulk().transfer(new BulkBatch(1), soon()));
      Await.until("the server to notice", () -> server.statistics().connections() == 0);
      RpcConnection next = rpc().connect(server);
      assertThat(text(next.call(ECHO, text("next"), soon()))).isEqualTo("next");
    }
  }

  @Test
  void aHandlerReachesTheCallersMemory() {
    BufferPool sources = serverPool();
    RpcMethods methods =
        new RpcMethods()
            .add(
                30,
                call -> {
                  RendezvousDescriptor where = RendezvousDescriptor.decode(call.request());
                  try (RegisteredBuffer source = sources.acquire(where.length(), soon())) {
                    new Pattern(9).fill(source.memory(), source.offset(), where.length());
                    call.bulk()
                        .transfer(
                            new BulkBatch(1)
                                .write(source, 0, where.address(), where.key(), where.length()),
                            call.deadline());
                  }
                  call.reply(ByteBuffer.allocate(0));
                });
    RpcConnection connection = rpc().connect(methods);
    BufferPool writable =
        rpc()
            .own(
                new BufferPool(
                    rpc().clientDevice(),
                    rpc().clientDomain(),
                    EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE),
                    BOUND));
    try (RegisteredBuffer target = writable.acquire(300_000, soon())) {
      connection.call(30, RendezvousDescriptor.of(target).encode(), soon());
      assertThat(new Pattern(9).mismatch(target.memory(), target.offset(), 300_000)).isEqualTo(-1);
    }
  }

  @Test
  void theServersMemoryIsMappedWhereTheCarrierCan() {
    RpcConnection connection = rpc().connect(echo());
    try (RegisteredBuffer remote = serverPool().acquire(10_000, soon())) {
      new Pattern(6).fill(remote.memory(), remote.offset(), 10_000);
      Optional<RemoteMapping> mapping =
          connection.bulk().mapRemote(remote.address(), 10_000, remote.remoteKey());
      assertThat(mapping.isPresent()).isEqualTo(rpc().carrier() == Carrier.SHM);
      if (mapping.isPresent()) {
        ByteBuffer copy = ByteBuffer.allocate(10_000);
        mapping.get().read(0, copy, 0, 10_000);
        assertThat(copy.array()).isEqualTo(new Pattern(6).bytes(0, 10_000));
        int wrongKey = remote.remoteKey() ^ 1;
        assertThatThrownBy(
                () ->
                    connection
                        .bulk()
                        .mapRemote(remote.address(), 10_000, wrongKey)
                        .ifPresent(wrong -> wrong.read(0, copy, 0, 1)))
            .isInstanceOfAny(VerbsException.class, RpcException.class);
      }
    }
  }
}
