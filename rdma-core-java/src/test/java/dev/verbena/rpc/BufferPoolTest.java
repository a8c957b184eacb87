// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.testing.Await;
import dev.verbena.testing.Pattern;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AccessFlag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BufferPoolTest {
  private static final long MIB = 1 << 20;

  private RpcFixture fixture;

  @BeforeEach
  void open() {
    fixture = new RpcFixture(Carrier.SHM);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private BufferPool pool(long bound) {
    return fixture.own(
        new BufferPool(
            fixture.clientDevice(),
            fixture.clientDomain(),
            EnumSet.of(AccessFlag.LOCAL_WRITE),
            bound));
  }

  private static RpcException.Code codeOf(Runnable action) {
    try {
      action.run();
    } catch (RpcException e) {
      return e.code();
    }
    return null;
  }

  @Test
  void buffersNeverOverlapAndAllComesBack() {
    BufferPool pool = pool(8 * MIB);
    Random random = new Random(1);
    record Lent(RegisteredBuffer buffer, Pattern pattern) {}
    List<Lent> lent = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      RegisteredBuffer buffer = pool.tryAcquire(random.nextInt(200_000));
      if (buffer != null) {
        Pattern pattern = new Pattern(i);
        pattern.fill(buffer.memory(), buffer.offset(), buffer.length());
        lent.add(new Lent(buffer, pattern));
      }
      if (buffer == null || random.nextInt(3) == 0) {
        Lent back = lent.remove(random.nextInt(lent.size()));
        assertThat(
                back.pattern()
                    .mismatch(
                        back.buffer().memory(), back.buffer().offset(), back.buffer().length()))
            .isEqualTo(-1);
        back.buffer().close();
      }
    }
    assertThat(pool.registeredBytes()).isLessThanOrEqualTo(8 * MIB);
    assertThat(pool.isIdle()).isFalse();
    lent.forEach(one -> one.buffer().close());
    assertThat(pool.isIdle()).isTrue();
    try (RegisteredBuffer all = pool.tryAcquire(8 * MIB)) {
      assertThat(all).as("free blocks joined again").isNotNull();
    }
  }

  @Test
  void smallIdleRegionsMakeRoomForALargeBuffer() {
    BufferPool pool = pool(64 * MIB);
    RegisteredBuffer first = pool.tryAcquire(10 * MIB);
    RegisteredBuffer second = pool.tryAcquire(16 * MIB);
    first.close();
    second.close();
    assertThat(pool.registeredBytes()).isEqualTo(32 * MIB);
    try (RegisteredBuffer large = pool.tryAcquire(64 * MIB)) {
      assertThat(large).isNotNull();
      assertThat(pool.registeredBytes()).isEqualTo(64 * MIB);
    }
  }

  @Test
  void whoFindsItExhaustedWaitsItsTurnUpToADeadline() {
    BufferPool pool = pool(MIB);
    RegisteredBuffer all = pool.acquire(MIB, RpcFixture.soon());
    assertThat(pool.tryAcquire(1)).isNull();
    assertThat(codeOf(() -> pool.acquire(1, Deadline.after(Duration.ofMillis(20)))))
        .isEqualTo(RpcException.Code.TIMED_OUT);
    CompletableFuture<RegisteredBuffer> waiting =
        CompletableFuture.supplyAsync(() -> pool.acquire(MIB / 2, RpcFixture.soon()));
    List<RegisteredBuffer> later = new ArrayList<>();
    Await.until("the waiter to queue", () -> pool.waiting() == 1);
    assertThat(pool.acquireLater(MIB / 2, later::add)).isNotNull();
    assertThat(later).isEmpty();
    all.close();
    Await.result("the waiter's buffer", waiting).close();
    Await.until("the second waiter's buffer", () -> later.size() == 1);
    later.get(0).close();
    assertThat(pool.isIdle()).isTrue();
  }

  @Test
  void aWaiterThatGivesUpLetsTheNextOnePass() {
    BufferPool pool = pool(MIB);
    RegisteredBuffer half = pool.acquire(MIB / 2, RpcFixture.soon());
    List<RegisteredBuffer> granted = new ArrayList<>();
    BufferPool.Waiter large = pool.acquireLater(MIB, granted::add);
    assertThat(pool.acquireLater(4096, granted::add)).isNotNull();
    assertThat(granted).isEmpty();
    assertThat(pool.cancel(large)).isTrue();
    assertThat(granted).hasSize(1);
    granted.get(0).close();
    half.close();
  }

  @Test
  void referencesAreCounted() {
    BufferPool pool = pool(MIB);
    RegisteredBuffer buffer = pool.tryAcquire(100);
    buffer.retain();
    buffer.close();
    assertThat(pool.isIdle()).isFalse();
    buffer.close();
    assertThat(pool.isIdle()).isTrue();
    assertThatThrownBy(buffer::close).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(buffer::retain).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void whatCanNeverFitIsRefusedAtOnce() {
    BufferPool pool = pool(MIB);
    assertThat(codeOf(() -> pool.acquire(MIB + 1, RpcFixture.soon())))
        .isEqualTo(RpcException.Code.MESSAGE_TOO_LARGE);
    assertThat(codeOf(() -> pool.tryAcquire(-1))).isEqualTo(RpcException.Code.MESSAGE_TOO_LARGE);
  }

  @Test
  void aBufferOutlivesItsPoolsClose() {
    BufferPool pool = pool(MIB);
    RegisteredBuffer buffer = pool.tryAcquire(100);
    pool.close();
    buffer.view().put(0, (byte) 1);
    assertThat(codeOf(() -> pool.tryAcquire(100))).isEqualTo(RpcException.Code.CLOSED);
    assertThat(pool.registeredBytes()).isPositive();
    buffer.close();
    assertThat(pool.registeredBytes()).isZero();
  }
}
