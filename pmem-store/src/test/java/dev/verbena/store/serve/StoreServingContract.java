// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import static dev.verbena.store.serve.ServingChild.block;
import static dev.verbena.store.serve.ServingChild.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.store.BlockSink;
import dev.verbena.store.StoreException;
import dev.verbena.testing.Await;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What reading another process's store promises, over whatever carrier. */
abstract class StoreServingContract extends StoreServingBed {
  abstract String carrier();

  @Test
  void blocksOfManyOutputsArriveWholeOverTheCarrier() {
    child.write(0, 300, 3, 1_000);
    List<BlockRange> ranges = new ArrayList<>();
    for (int output = 0; output < 300; output++) {
      ranges.add(new BlockRange(key(output), output % 3, output % 3 + 1));
    }
    Collected got = fetch(ranges);

    assertThat(got.failures).isEmpty();
    for (int output = 0; output < 300; output++) {
      assertThat(got.blocks.get(ranges.get(output))).isEqualTo(block(output, output % 3, 1_000));
    }
    assertThat(got.carriers.values()).containsOnly(carrier());
    assertThat(client.counts().of(carrier())).isEqualTo(new CarrierCounts.Count(300, 300_000));
  }

  @Test
  void aRangeOfPartitionsAndALargeBlockAreFetched() {
    child.write(0, 1, 3, 9 * MIB + 5);
    BlockRange all = new BlockRange(key(0), 0, 3);
    BlockRange one = new BlockRange(key(0), 1, 2);
    Collected got = fetch(List.of(all, one));

    assertThat(got.failures).isEmpty();
    assertThat(got.blocks.get(one)).isEqualTo(block(0, 1, 9 * MIB + 5));
    byte[] whole = got.blocks.get(all);
    for (int p = 0; p < 3; p++) {
      int from = p * (9 * MIB + 5);
      assertThat(Arrays.copyOfRange(whole, from, from + 9 * MIB + 5))
          .isEqualTo(block(0, p, 9 * MIB + 5));
    }
  }

  @Test
  void outputsWrittenAfterTheFirstFetchAreFoundInPoolsMadeSince() {
    child.write(0, 1, 1, 10);
    assertThat(fetch(List.of(range(0))).failures).isEmpty();
    child.write(1, 40, 1, MIB);
    List<BlockRange> ranges = new ArrayList<>();
    for (int output = 0; output < 40; output++) {
      ranges.add(range(output));
    }
    Collected got = fetch(ranges);

    assertThat(got.failures).isEmpty();
    assertThat(got.blocks.get(range(39))).isEqualTo(block(39, 0, MIB));
  }

  @Test
  void anOutputThatIsNotThereFailsAloneAndOthersArrive() {
    child.write(0, 2, 1, 100);
    Collected got = fetch(List.of(range(0), range(7), range(1), new BlockRange(key(1), 0, 2)));

    assertThat(got.blocks).containsOnlyKeys(range(0), range(1));
    assertThat(got.failures.get(range(7)).code()).isEqualTo(StoreException.Code.NOT_FOUND);
    assertThat(got.failures.get(range(7)))
        .hasMessageContaining("store child at")
        .hasMessageContaining("mapAttempt=7");
    assertThat(got.failures.get(new BlockRange(key(1), 0, 2)))
        .hasMessageContaining("has 1 partitions");
  }

  @Test
  void aRemovedOutputIsNotFoundEvenWhenItsManifestIsCached() {
    child.write(0, 1, 1, 50_000);
    assertThat(fetch(List.of(range(0))).failures).isEmpty();
    child.removeAll();
    child.write(1, 2, 1, 50_000);
    Collected got = fetch(List.of(range(0), range(1)));

    assertThat(got.failures.get(range(0)).code()).isEqualTo(StoreException.Code.NOT_FOUND);
    assertThat(got.blocks.get(range(1))).isEqualTo(block(1, 0, 50_000));
    assertThat(fetch(List.of(range(0))).failures.get(range(0)).code())
        .isEqualTo(StoreException.Code.NOT_FOUND);
  }

  @Test
  void outputsThatComeAndGoAreWholeOrNotFound() {
    int length = 30_000;
    List<BlockRange> ranges = new ArrayList<>();
    for (int output = 0; output < 20; output++) {
      ranges.add(range(output));
    }
    child.startChurn(length);
    int whole = 0;
    for (int round = 0; round < 200 || (whole == 0 && round < 4_000); round++) {
      Collected got = fetch(ranges);
      for (int output = 0; output < 20; output++) {
        StoreException failure = got.failures.get(range(output));
        if (failure == null) {
          assertThat(got.blocks.get(range(output))).isEqualTo(block(output, 0, length));
          whole++;
        } else {
          assertThat(failure.code())
              .as(failure.toString())
              .isEqualTo(StoreException.Code.NOT_FOUND);
        }
      }
    }
    child.endChurn();
    assertThat(whole).isPositive();
  }

  @Test
  void anEmptyBlockIsABlock() {
    child.write(0, 1, 2, 0);

    assertThat(fetch(List.of(range(0))).blocks.get(range(0))).isEmpty();
  }

  @Test
  void aTransferCopiesALargeBlockPieceByPiece() {
    child.write(0, 1, 2, 20 * MIB);
    ByteArrayOutputStream target = new ByteArrayOutputStream();
    BlockClient.Transferred done =
        client.transfer(
            child.endpoint(),
            new BlockRange(key(0), 1, 2),
            new BlockSink() {
              @Override
              public void put(byte[] source, int offset, int length) {
                target.write(source, offset, length);
              }

              @Override
              public void put(ByteBuffer source) {
                throw new AssertionError("arrays are expected");
              }
            });

    assertThat(done).isEqualTo(new BlockClient.Transferred(20 * MIB, carrier()));
    assertThat(target.toByteArray()).isEqualTo(block(0, 1, 20 * MIB));
    assertThatThrownBy(() -> client.transfer(child.endpoint(), range(9), new DiscardingSink()))
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> assertThat(e.code()).isEqualTo(StoreException.Code.NOT_FOUND));
  }

  @Test
  void blocksThatFindNoRegisteredBufferComeOnTheHeap() {
    child.write(0, 6, 1, 3 * MIB);
    List<FetchedBlock> held = new ArrayList<>();
    List<BlockRange> ranges = new ArrayList<>();
    for (int output = 0; output < 6; output++) {
      ranges.add(range(output));
    }
    Collected failures = new Collected();
    try (StoreClient small =
        StoreClient.open(options(ServingChild.SECRET).withMemory(8 * MIB, MIB))) {
      small.fetch(
          child.endpoint(),
          ranges,
          new FetchListener() {
            @Override
            public void onBlock(FetchedBlock block) {
              synchronized (held) {
                held.add(block);
              }
            }

            @Override
            public void onFailure(BlockRange range, StoreException failure) {
              failures.onFailure(range, failure);
            }
          });
      Await.until(
          "six blocks",
          () -> {
            synchronized (held) {
              return held.size() + failures.failures.size() == 6;
            }
          });
      assertThat(failures.failures).isEmpty();
      Collected copies = new Collected();
      held.forEach(copies::onBlock);
      for (int output = 0; output < 6; output++) {
        assertThat(copies.blocks.get(range(output))).isEqualTo(block(output, 0, 3 * MIB));
      }
    }
  }

  @Test
  void aStreamThatIsNeverClosedHoldsNoBuffer() {
    child.write(0, 20, 1, MIB);
    try (StoreClient small =
        StoreClient.open(options(ServingChild.SECRET).withMemory(8 * MIB, MIB))) {
      for (int output = 0; output < 20; output++) {
        CompletableFuture<FetchedBlock> fetched = new CompletableFuture<>();
        small.fetch(
            child.endpoint(),
            List.of(range(output)),
            new FetchListener() {
              @Override
              public void onBlock(FetchedBlock block) {
                fetched.complete(block);
              }

              @Override
              public void onFailure(BlockRange range, StoreException failure) {
                fetched.completeExceptionally(failure);
              }
            });
        FetchedBlock block = fetched.orTimeout(20, TimeUnit.SECONDS).join();
        assertThat(block.buffers()).allMatch(ByteBuffer::isDirect, "from the registered memory");
        InputStream in = block.open();
        assertThat(in).satisfies(open -> assertThat(open.read()).isNotNegative());
        block.release();
        assertThatThrownBy(in::read)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("released before");
      }
    }
  }

  @Test
  void aListenerThatThrowsStillHearsOfTheOtherRanges() {
    child.write(0, 3, 1, 1_000);
    Collected got = new Collected();
    List<BlockRange> ranges = List.of(range(7), range(0), range(8), range(1), range(2));
    client.fetch(
        child.endpoint(),
        ranges,
        new FetchListener() {
          @Override
          public void onBlock(FetchedBlock block) {
            got.onBlock(block);
            throw new IllegalStateException("on purpose");
          }

          @Override
          public void onFailure(BlockRange range, StoreException failure) {
            got.onFailure(range, failure);
            throw new IllegalStateException("on purpose");
          }
        });

    got.await(ranges.size());
    assertThat(got.blocks).containsOnlyKeys(range(0), range(1), range(2));
    assertThat(got.failures).containsOnlyKeys(range(7), range(8));
  }

  @Test
  void aPeerThatIsKilledFailsItsRangesAndIsForgotten() {
    child.write(0, 1, 1, 1_000);
    assertThat(fetch(List.of(range(0))).failures).isEmpty();
    child.kill();
    // The memory of a peer outlives it for a moment, and is read from until its end is noticed.
    AtomicReference<StoreException> failure = new AtomicReference<>();
    Await.until(
        "the end of the peer is noticed",
        () -> {
          Collected got = fetch(List.of(range(0)));
          failure.set(got.failures.get(range(0)));
          if (failure.get() == null) {
            assertThat(got.blocks.get(range(0))).isEqualTo(block(0, 0, 1_000));
          }
          return failure.get() != null;
        });
    assertThat(failure.get().code())
        .isIn(StoreException.Code.DISCONNECTED, StoreException.Code.TIMED_OUT);
    assertThat(failure.get().getCause()).isNotNull();
  }

  @Test
  void aServerThatIsClosedRefusesReads() {
    child.write(0, 1, 1, 1_000);
    assertThat(fetch(List.of(range(0))).failures).isEmpty();
    child.closeServer();

    assertThat(fetch(List.of(range(0))).failures).containsOnlyKeys(range(0));
  }

  @Test
  void whoWaitsForAConnectionIsNotToldOfTheInterruptionOfWhoMakesIt() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 8, InetAddress.getByName("127.0.0.1"));
        StoreClient hasty =
            StoreClient.open(
                options(ServingChild.SECRET)
                    .withTimeouts(Duration.ofSeconds(5), Duration.ofSeconds(5)))) {
      silent.setSoTimeout((int) Await.PATIENCE.toMillis());
      StoreEndpoint mute =
          new StoreEndpoint(
              "mute", List.of((InetSocketAddress) silent.getLocalSocketAddress()), 1, 1);
      Collected first = new Collected();
      Collected second = new Collected();
      Thread connecting = new Thread(() -> hasty.fetch(mute, List.of(range(0)), first));
      Thread waiting = new Thread(() -> hasty.fetch(mute, List.of(range(0)), second));
      connecting.start();
      try (Socket unanswered = silent.accept()) {
        assertThat(unanswered.isConnected()).isTrue();
        waiting.start();
        Await.until(
            "the other waits, or both missed their deadlines",
            () -> isParked(waiting) || !second.failures.isEmpty());
        connecting.interrupt();

        assertThat(first.await(1).failures.get(range(0)).code())
            .isIn(StoreException.Code.INTERRUPTED, StoreException.Code.TIMED_OUT);
        assertThat(second.await(1).failures.get(range(0)).code())
            .isIn(StoreException.Code.DISCONNECTED, StoreException.Code.TIMED_OUT);
      }
    }
  }

  private static boolean isParked(Thread thread) {
    return thread.getState() == Thread.State.TIMED_WAITING
        || thread.getState() == Thread.State.WAITING;
  }

  @Test
  void aWrongSecretIsRefused() {
    byte[] wrong = "another secret of bytes".getBytes(StandardCharsets.UTF_8);
    try (StoreClient stranger = StoreClient.open(options(wrong))) {
      Collected got = new Collected();
      stranger.fetch(child.endpoint(), List.of(range(0)), got);

      assertThat(got.await(1).failures.get(range(0)).code())
          .isEqualTo(StoreException.Code.REJECTED);
    }
  }

  @Test
  void anotherIncarnationOrVersionIsRefused() {
    StoreEndpoint real = child.endpoint();
    StoreEndpoint reborn =
        new StoreEndpoint("child", real.addresses(), real.incarnation() + 1, real.wireVersion());
    StoreEndpoint newer =
        new StoreEndpoint("child", real.addresses(), real.incarnation(), real.wireVersion() + 1);
    Collected got = new Collected();
    client.fetch(reborn, List.of(range(0)), got);
    client.fetch(newer, List.of(range(1)), got);
    got.await(2);

    assertThat(got.failures.get(range(0)).code()).isEqualTo(StoreException.Code.REJECTED);
    assertThat(got.failures.get(range(0))).hasMessageContaining("is of incarnation");
    assertThat(got.failures.get(range(1)).code()).isEqualTo(StoreException.Code.REJECTED);
    assertThat(got.failures.get(range(1))).hasMessageContaining("speaks version 2, expected 1");
  }

  @Test
  void nobodyThereIsAFailureWithItsCause() {
    StoreEndpoint nowhere =
        new StoreEndpoint("ghost", List.of(new InetSocketAddress("127.0.0.1", 1)), 1, 1);
    Collected got = new Collected();
    client.fetch(nowhere, List.of(range(0)), got);

    StoreException failure = got.await(1).failures.get(range(0));
    assertThat(failure.code())
        .isIn(StoreException.Code.DISCONNECTED, StoreException.Code.TIMED_OUT);
    assertThat(failure).hasMessageContaining("ghost");
  }

  /** Takes everything and keeps nothing. */
  private static final class DiscardingSink implements BlockSink {
    @Override
    public void put(byte[] source, int offset, int length) {
      // Nothing is kept.
    }

    @Override
    public void put(ByteBuffer source) {
      source.position(source.limit());
    }
  }
}
