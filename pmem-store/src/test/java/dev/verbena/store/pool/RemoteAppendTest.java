// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.testing.Await;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.FlushLevel;
import dev.verbena.verbs.FlushType;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.MemoryWindow;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsProvider;
import dev.verbena.verbs.WorkCompletion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A peer appends to a pool by verbs alone, through windows onto what it was granted. */
class RemoteAppendTest {
  private static final RecordId ID = new RecordId(1, 2, 3, 4);
  private static final byte[] NOTHING = {};
  private static final Set<AccessFlag> GRANT =
      EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.FLUSH_PERSISTENT);

  @TempDir Path directory;

  private record End(ProtectionDomain domain, CompletionQueue completions, QueuePair queuePair) {
    static End on(Device device) {
      ProtectionDomain domain = device.createProtectionDomain();
      CompletionQueue queue = device.createCompletionQueue(512, null);
      return new End(domain, queue, domain.createQueuePair(QueuePairAttributes.of(queue, queue)));
    }

    CompletionStatus run(SendRequest... requests) {
      requests[requests.length - 1].signaled();
      assertThat(queuePair.postSend(requests, requests.length)).isEqualTo(requests.length);
      WorkCompletion[] one = WorkCompletion.array(1);
      Await.until("a completion", () -> completions.poll(one) == 1);
      return one[0].status();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRecordAppendedInOneDoorbellIsRecoveredAndALateWriteIsRefused(CarrierPolicy policy) {
    byte[] payload = new byte[10_000];
    Arrays.fill(payload, (byte) 7);
    PoolOptions options =
        PoolOptions.file(directory.resolve("a.pool"), 1 << 20)
            .withDomain(DurabilityDomain.POWER)
            .kept();
    try (Pool pool = Pool.open(options);
        Device owner = open(policy);
        Device peer = open(policy)) {
      append(pool, owner, peer, payload);
    }
    try (Pool pool = Pool.open(options)) {
      assertThat(pool.recovered()).hasSize(1);
      RecoveredRecord record = pool.recovered().get(0);
      assertThat(record.header().id()).isEqualTo(ID);
      byte[] read = new byte[payload.length];
      pool.read(record.extent().payloadOffset(), read, 0, read.length);
      assertThat(read).isEqualTo(payload);
    }
  }

  private static void append(Pool pool, Device owner, Device peer, byte[] payload) {
    End own = End.on(owner);
    End other = End.on(peer);
    connect(owner, own, peer, other);
    Extent extent = pool.reserve(payload.length, payload.length).orElseThrow();
    MemoryRegion region =
        own.domain()
            .register(
                pool,
                0,
                pool.memory().size(),
                EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.WINDOW_BIND));
    int bytes = RecordLayout.HEADER_BYTES + payload.length;
    MemoryWindow record = grant(own, region, extent.offset(), bytes);
    MemoryWindow word = grant(own, region, extent.wordOffset(), PoolLayout.WORD_BYTES);
    RecordHeader header =
        new RecordHeader(
            ID, payload.length, 9, crc(payload), (int) RecordLayout.chunksFor(payload.length));
    var memory = peer.allocate(bytes);
    memory.put(0, header.encode(), 0, RecordLayout.HEADER_BYTES);
    memory.put(RecordLayout.HEADER_BYTES, payload, 0, payload.length);
    MemoryRegion source = other.domain().register(memory, 0, bytes, Set.of());
    long recordAt = region.address() + extent.offset();
    long wordAt = region.address() + extent.wordOffset();

    CompletionStatus appended =
        other.run(
            write(recordAt, record, source),
            flush(recordAt, record, bytes),
            new SendRequest(1).atomicWrite(3, wordAt, word.remoteKey(), header.publishWord()),
            flush(wordAt, word, PoolLayout.WORD_BYTES));
    assertThat(appended).isEqualTo(CompletionStatus.SUCCESS);
    assertThat(pool.isIntact(extent, header.publishWord())).isTrue();

    assertThat(own.run(new SendRequest(1).localInvalidate(1, record.remoteKey())))
        .isEqualTo(CompletionStatus.SUCCESS);
    memory.zero(0, bytes);
    assertThat(other.run(write(recordAt, record, source)))
        .isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
    record.close();
    word.close();
    region.close();
  }

  private static MemoryWindow grant(End own, MemoryRegion region, long offset, long bytes) {
    MemoryWindow window = own.domain().allocateWindow();
    CompletionStatus bound =
        own.run(
            new SendRequest(1)
                .bindWindow(1, window, region, region.address() + offset, bytes, GRANT));
    assertThat(bound).isEqualTo(CompletionStatus.SUCCESS);
    return window;
  }

  private static SendRequest write(long address, MemoryWindow window, MemoryRegion source) {
    return new SendRequest(1)
        .write(1, address, window.remoteKey())
        .buffer(source.address(), (int) source.length(), source.localKey());
  }

  private static SendRequest flush(long address, MemoryWindow window, long bytes) {
    return new SendRequest(1)
        .flush(2, address, window.remoteKey(), bytes, FlushType.PERSISTENT, FlushLevel.RANGE);
  }

  private static Device open(CarrierPolicy policy) {
    return VerbsProvider.named("soft").open(DeviceOptions.defaults().withCarrier(policy));
  }

  private static void connect(Device owner, End own, Device peer, End other) {
    Deadline deadline = Deadline.after(Await.PATIENCE);
    try (Listener listener =
        owner.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1)) {
      CompletableFuture<Void> accepted =
          CompletableFuture.runAsync(
              () -> {
                try {
                  listener.nextRequest(deadline).accept(own.queuePair(), NOTHING, deadline);
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      peer.connect(
          other.queuePair(), new ConnectionParameters(listener.address(), null, NOTHING, deadline));
      Await.result("accepting", accepted);
    }
  }

  private static int crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, bytes.length);
    return (int) crc.getValue();
  }
}
