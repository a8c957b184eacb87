// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.Await;
import dev.verbena.testing.Pattern;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.WorkCompletion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Frames of carrier tcp that are lost, doubled or late: what completes with success happened, once
 * and in order; else the queue pair ends with an error.
 */
final class FrameFaultTest {
  private static final int SLOT = 100_000;
  private static final int REQUESTS = 48;
  private static final int MESSAGES = REQUESTS / 4;

  /** One end with memory for all that a run moves. */
  private static final class Side implements AutoCloseable {
    private final ProtectionDomain domain;
    private final CompletionQueue sends;
    private final CompletionQueue receives;
    private final QueuePair queuePair;
    private final MappedMemory memory;
    private final MemoryRegion region;

    Side(Device device) {
      domain = device.createProtectionDomain();
      sends = device.createCompletionQueue(256, null);
      receives = device.createCompletionQueue(256, null);
      queuePair =
          domain.createQueuePair(
              QueuePairAttributes.of(sends, receives).withAnswerTimeout(Duration.ofMillis(500)));
      memory = device.allocate((long) (REQUESTS + 1) * SLOT);
      region =
          domain.register(
              memory,
              0,
              memory.size(),
              EnumSet.of(
                  AccessFlag.LOCAL_WRITE,
                  AccessFlag.REMOTE_WRITE,
                  AccessFlag.REMOTE_READ,
                  AccessFlag.REMOTE_ATOMIC));
    }

    long slot(int i) {
      return region.address() + (long) i * SLOT;
    }

    @Override
    public void close() {
      queuePair.close();
      region.close();
      memory.close();
      receives.close();
      sends.close();
      domain.close();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "drop FRAME_BUILT one in 40",
        "duplicate FRAME_BUILT one in 3",
        "duplicate FRAME_BUILT",
        "drop FRAME_BUILT one in 60; duplicate FRAME_BUILT one in 5",
        "delay 2ms FRAME_BUILT one in 20; delay 2ms FRAME_RECEIVED one in 20",
        "link delay 1ms loss 5",
        "link outage 5ms-50ms",
        "fail FRAME_SENT one in 50; delay 1ms EXECUTED one in 9",
      })
  void nothingHappensTwiceOrOutOfOrderAndWhatSucceededHappened(String faults) {
    long seed = Long.getLong("verbena.seed", System.nanoTime() & 0xffffff);
    for (int run = 0; run < 6; run++) {
      String plan = "seed " + (seed + run) + "; " + faults;
      System.out.println("fault plan " + plan + ", -Dverbena.seed=" + seed);
      run(plan, new SplittableRandom(seed + run));
    }
  }

  @Test
  void framesThatComeTwiceAreExecutedOnce() {
    assertThat(run("duplicate FRAME_BUILT", new SplittableRandom(1))).isEqualTo(REQUESTS);
  }

  /** Runs a mix of requests and returns how many succeeded. */
  private static int run(String plan, SplittableRandom random) {
    try (FaultBed bed = new FaultBed(CarrierPolicy.TCP_ONLY);
        Device near = bed.open(plan);
        Device far = bed.open(plan);
        Side actor = new Side(near);
        Side target = new Side(far)) {
      for (int i = 0; i < MESSAGES; i++) {
        target.queuePair.postReceive(
            new ReceiveRequest(1)
                .begin(i)
                .buffer(target.slot(4 * i), SLOT, target.region.localKey()));
      }
      bed.connect(near, actor.queuePair, far, target.queuePair);
      for (int i = 0; i < REQUESTS; i++) {
        new Pattern(i).fill(actor.memory, (long) i * SLOT, SLOT);
        actor.queuePair.postSend(request(actor, target, i).signaled());
        if (random.nextInt(4) == 0) {
          Thread.yield();
        }
      }
      int succeeded = expectOneCompletionEach(actor);
      expectHappened(actor, target, succeeded);
      return succeeded;
    }
  }

  /** SEND, WRITE, FETCH_ADD, READ by turns; WRITEs and SENDs to slots of their own. */
  private static SendRequest request(Side actor, Side target, int i) {
    int key = target.region.remoteKey();
    SendRequest request = new SendRequest(1);
    int length = SLOT;
    switch (i % 4) {
      case 0 -> request.send(i);
      case 1 -> request.write(i, target.slot(i), key);
      case 2 -> {
        request.fetchAndAdd(i, target.slot(REQUESTS), key, 1);
        length = Long.BYTES;
      }
      default -> request.read(i, target.slot(i - 2), key);
    }
    return request.buffer(actor.slot(i), length, actor.region.localKey());
  }

  private static int expectOneCompletionEach(Side actor) {
    WorkCompletion[] one = WorkCompletion.array(1);
    List<CompletionStatus> ended = new ArrayList<>();
    for (int i = 0; i < REQUESTS; i++) {
      Await.until("completion " + i, () -> actor.sends.poll(one) == 1);
      assertThat(one[0].requestId()).isEqualTo(i);
      ended.add(one[0].status());
    }
    assertThat(actor.sends.poll(one)).isZero();
    int succeeded = 0;
    while (succeeded < REQUESTS && ended.get(succeeded) == CompletionStatus.SUCCESS) {
      succeeded++;
    }
    if (succeeded < REQUESTS) {
      assertThat(ended.get(succeeded)).isNotEqualTo(CompletionStatus.SUCCESS);
      assertThat(ended.subList(succeeded + 1, REQUESTS))
          .as("what follows the first error")
          .allMatch(status -> status == CompletionStatus.WORK_REQUEST_FLUSHED);
    }
    return succeeded;
  }

  private static void expectHappened(Side actor, Side target, int succeeded) {
    target.queuePair.disconnect();
    WorkCompletion[] one = WorkCompletion.array(1);
    int received = 0;
    for (int i = 0; i < MESSAGES; i++) {
      Await.until("RECV", () -> target.receives.poll(one) == 1);
      assertThat(one[0].requestId()).as("RECVs end in order").isEqualTo(i);
      if (one[0].isSuccess()) {
        assertThat(received).as("no message behind a hole").isEqualTo(i);
        assertThat(new Pattern(4L * i).mismatch(target.memory, 4L * i * SLOT, SLOT)).isEqualTo(-1);
        received++;
      }
    }
    assertThat(received).isGreaterThanOrEqualTo((succeeded + 3) / 4);
    for (int i = 1; i < succeeded; i += 4) {
      assertThat(new Pattern(i).mismatch(target.memory, (long) i * SLOT, SLOT)).isEqualTo(-1);
    }
    int adds = succeeded / 4 + (succeeded % 4 == 3 ? 1 : 0);
    long counter = target.memory.getLong((long) REQUESTS * SLOT);
    assertThat(counter).isBetween((long) adds, (long) MESSAGES);
    for (int i = 2, expected = 0; i < succeeded; i += 4, expected++) {
      assertThat(actor.memory.getLong((long) i * SLOT)).isEqualTo(expected);
    }
    for (int i = 3; i < succeeded; i += 4) {
      assertThat(new Pattern(i - 2).mismatch(actor.memory, (long) i * SLOT, SLOT)).isEqualTo(-1);
    }
  }
}
