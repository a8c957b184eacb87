// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SharedReceiveQueueAttributes;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** What may be recalled from a lane while a peer's engine is at it. */
final class DealtLaneTest {
  private static final int DEALT = 5;

  private MappedMemory area;
  private ReceiveQueue queue;
  private StoredReceives stored;
  private DealtLane lane;

  private void deal() {
    try (Device device = new SoftProvider().open(DeviceOptions.defaults());
        CompletionQueue completions = device.createCompletionQueue(8, null)) {
      QueuePairAttributes attributes = QueuePairAttributes.of(completions, completions);
      QueuePairAreaLayout layout = QueuePairAreaLayout.of(attributes);
      area = MappedMemory.of(ByteBuffer.allocateDirect((int) layout.size()));
      queue = new ReceiveQueue(area, layout, attributes);
      lane = new DealtLane(queue, area, layout);
    }
    stored = new StoredReceives(new SharedReceiveQueueAttributes(8, 1));
    for (int i = 0; i < DEALT; i++) {
      assertThat(stored.add(new ReceiveRequest(1).begin(i))).isTrue();
    }
    lane.deal(stored, DEALT);
  }

  private void peerTook(long count) {
    area.putLong(QueuePairAreaLayout.RECEIVES_TAKEN_OFFSET, count);
  }

  @Test
  void whatThePeerTookMeanwhileIsNotRecalled() {
    deal();
    peerTook(3);
    assertThat(lane.recall(stored, DEALT)).isEqualTo(2);
    assertThat(stored.waiting()).isEqualTo(2);
    assertThat(queue.posted()).isEqualTo(3);
    assertThat(lane.available()).isZero();
  }

  @Test
  void nothingIsRecalledWhileThePeerAnnouncesTheQueue() {
    deal();
    HazardSlot hazard =
        new HazardSlot(area, QueuePairAreaLayout.hazard(QueuePairAreaLayout.QUEUE_HAZARD));
    hazard.announce(HazardSlot.QUEUE);
    assertThat(lane.recall(stored, 2)).isZero();
    assertThat(queue.posted()).isEqualTo(DEALT);
    hazard.clear();
    assertThat(lane.recall(stored, 2)).isEqualTo(2);
    assertThat(queue.posted()).isEqualTo(3);
  }

  @Test
  void aPeerThatClaimsMoreThanItWasDealtGetsNothingByIt() {
    deal();
    peerTook(Long.MAX_VALUE);
    assertThat(lane.available()).isZero();
    assertThat(lane.recall(stored, 1)).isZero();
    assertThat(queue.posted()).isEqualTo(DEALT);
  }

  @Test
  void aPeerThatTakesBackWhatItSaidGetsNothingByIt() {
    deal();
    peerTook(3);
    queue.retire();
    queue.retire();
    peerTook(0);
    assertThat(lane.taken()).isEqualTo(2);
    assertThat(lane.available()).isEqualTo(DEALT - 2);
    lane.settle(stored);
    assertThat(lane.room()).isEqualTo(lane.depth() - DEALT + 2);
    assertThat(lane.recall(stored, 2)).isEqualTo(2);
    assertThat(queue.posted()).isEqualTo(3);
    lane.takeBack(stored, DEALT);
    assertThat(queue.posted()).isEqualTo(3);
  }

  @Test
  void aPeerAsksForTheNextReceiveOnly() {
    deal();
    assertThat(lane.asks()).isFalse();
    area.putLong(QueuePairAreaLayout.RECEIVE_ASKED_OFFSET, DEALT);
    assertThat(lane.asks()).isFalse();
    area.putLong(QueuePairAreaLayout.RECEIVE_ASKED_OFFSET, DEALT + 1);
    assertThat(lane.asks()).isTrue();
    area.putLong(QueuePairAreaLayout.RECEIVE_ASKED_OFFSET, Long.MAX_VALUE);
    assertThat(lane.asks()).isFalse();
  }

  @Test
  void aMarkIsPassedOnceSoManyWereTaken() {
    deal();
    peerTook(1);
    assertThat(lane.count()).isEqualTo(DEALT - 1);
    assertThat(lane.setMark(1)).isFalse();
    peerTook(2);
    assertThat(lane.setMark(1)).isTrue();
    assertThat(lane.setMark(2)).isFalse();
  }

  @Test
  void whatIsTakenBackLeavesOutTheCompletionsThatExist() {
    deal();
    peerTook(3);
    lane.takeBack(stored, 2);
    assertThat(stored.waiting()).isEqualTo(3);
    assertThat(queue.posted()).isEqualTo(2);
  }
}
