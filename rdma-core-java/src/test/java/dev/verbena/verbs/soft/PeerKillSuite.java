// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import dev.verbena.testing.OpenFiles;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.WorkCompletion;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/**
 * A peer that is killed by SIGKILL at any step of the engine, whichever end it is, takes nothing
 * with it: others' traffic goes on, its queue pairs end, its RECVs return, what it had announced
 * holds nobody up, nothing stays in the file system.
 *
 * <p>One family by seed for each step and end; with -Dverbena.faults.all=true all of them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class PeerKillSuite {
  private final CarrierPolicy policy;
  private final Set<FaultStep> ofOtherCarriers;
  private FaultMatrix matrix;
  private FaultBed bed;
  private Device survivor;
  private Device friend;
  private Bystanders bystanders;

  /** One for all, since a tcp link is kept for each address that was connected to. */
  private Listener probes;

  PeerKillSuite(CarrierPolicy policy, Set<FaultStep> ofOtherCarriers) {
    this.policy = policy;
    this.ofOtherCarriers = ofOtherCarriers;
  }

  @BeforeAll
  final void begin() {
    matrix = FaultMatrix.of(policy);
    bed = new FaultBed(policy);
    survivor = bed.open("");
    friend = bed.open("");
    probes = FaultBed.listen(survivor);
    bystanders = new Bystanders(bed, friend, survivor, probes);
  }

  @AfterAll
  final void end() {
    bystanders.close();
    probes.close();
    friend.close();
    survivor.close();
    bed.close();
  }

  @Test
  final void everyStepIsPassedBySomeFamily() {
    Set<FaultStep> missing = EnumSet.allOf(FaultStep.class);
    missing.removeAll(matrix.steps());
    assertThat(missing).isEqualTo(ofOtherCarriers);
  }

  @TestFactory
  final Stream<DynamicTest> aPeerKilledThereTakesNothingWithIt() {
    long seed = Long.getLong("verbena.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    List<FaultMatrix.Cell> cells =
        Boolean.getBoolean("verbena.faults.all") ? matrix.cells() : matrix.cover(random);
    System.out.println(
        cells.size() + " kills of " + matrix.cells().size() + ", -Dverbena.seed=" + seed);
    return cells.stream()
        .map(
            cell -> {
              long time = cell.draw(random);
              return DynamicTest.dynamicTest(cell + ", time " + time, () -> kill(cell, time));
            });
  }

  private void kill(FaultMatrix.Cell cell, long time) {
    OpenFiles before = OpenFiles.now().but(bystanders.file());
    String plan = "kill " + cell.step() + " " + time;
    FaultEnd end = new FaultEnd(survivor, cell.family(), Await.PATIENCE);
    FaultBed.Child child = bed.start(end, cell.family(), cell.acts(), plan);
    try {
      if (!cell.acts()) {
        actUntilItFails(end, cell.family(), child.offer());
      }
      Await.until("death of the peer", () -> !child.process().isAlive());
      Await.until("ERROR", () -> isBroken(end.queuePair()) && isBroken(end.idle()));
      end.stopReceiving();
      expectAllReceives(end);
      end.close();
      bed.open("").close();
      assertThat(bed.files()).as("devices").hasSize(2);
      bystanders.expectProgress();
      before.awaitReturn();
    } finally {
      child.process().close();
    }
  }

  private static void actUntilItFails(FaultEnd end, FaultFamily family, FaultOffer to) {
    CompletionStatus status = CompletionStatus.SUCCESS;
    for (int round = 0; status == CompletionStatus.SUCCESS; round++) {
      status = end.act(family, to, round);
    }
    assertThat(status)
        .isIn(CompletionStatus.TRANSPORT_RETRY_EXCEEDED, CompletionStatus.WORK_REQUEST_FLUSHED);
  }

  /** Each RECV of the shared queue is there once: as many messages as there are come through. */
  private void expectAllReceives(FaultEnd end) {
    ByteBuffer data = ByteBuffer.allocateDirect(Long.BYTES);
    WorkCompletion[] one = WorkCompletion.array(1);
    CompletionQueue queue = friend.createCompletionQueue(16, null);
    try (ProtectionDomain domain = friend.createProtectionDomain();
        QueuePair probe =
            domain.createQueuePair(
                QueuePairAttributes.of(queue, queue)
                    .withRnrRetries(1000, Await.PATIENCE.dividedBy(1000)));
        QueuePair fresh = end.another()) {
      bed.connect(friend, probe, probes, fresh);
      for (int i = 0; i < FaultEnd.RECEIVES; i++) {
        probe.postSend(new SendRequest(1).send(i).inline(data, 0, Long.BYTES).signaled());
        Await.until("a SEND", () -> queue.poll(one) == 1);
        assertThat(one[0].isSuccess()).as(one[0].toString()).isTrue();
      }
      end.awaitMessages(FaultEnd.RECEIVES);
    }
    queue.close();
  }

  private static boolean isBroken(QueuePair queuePair) {
    return queuePair.state() == QueuePair.State.ERROR;
  }
}
