// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.mutation.Attacks;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.ReceiveRequest;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;

/** What the owner of an area may put before an engine, and what an engine must not do there. */
public final class ResponderAttacks implements Attacks {
  private static final int DOMAIN = 1;
  private static final int BUFFERS = 2;
  private static final int SIZE = 64;

  private final QueuePairAttributes attributes;
  private final QueuePairAreaLayout layout;
  private final MappedMemory area;
  private final MappedMemory data = memory(SIZE);
  private final MappedMemory deviceArea = memory(DeviceAreaLayout.SEGMENT_TABLE);
  private final KeyTable keys = new KeyTable(deviceArea, new SecureRandom());
  private final ByteBuffer operands = ByteBuffer.allocate(WorkQueueEntryLayout.SEGMENT);

  /** An area that lets in. */
  public ResponderAttacks() {
    try (Device device = new SoftProvider().open(DeviceOptions.defaults());
        CompletionQueue completions = device.createCompletionQueue(8, null)) {
      attributes =
          QueuePairAttributes.of(completions, completions).withDepths(4, 4).withMaxBuffers(BUFFERS);
    }
    layout = QueuePairAreaLayout.of(attributes);
    area = memory(layout.size());
  }

  @Override
  public Map<String, Runnable> all() {
    Map<String, Runnable> all = new LinkedHashMap<>();
    all.put("aCompletionQueueThatIsNone", this::aCompletionQueueThatIsNone);
    all.put("aReceiveWithForgedBuffers", this::aReceiveWithForgedBuffers);
    all.put("aReceiveIsFilledInItsOrder", this::aReceiveIsFilledInItsOrder);
    all.put("aTargetThatBroke", this::aTargetThatBroke);
    all.put("aWindowUsedByItsOwner", this::aWindowUsedByItsOwner);
    all.put("whoIsWoken", this::whoIsWoken);
    all.put("whoIsTold", this::whoIsTold);
    all.put("whoMustPersist", this::whoMustPersist);
    return all;
  }

  private static MappedMemory memory(long bytes) {
    return MappedMemory.of(ByteBuffer.allocateDirect((int) bytes));
  }

  private Responder responder(int completionQueue, boolean shared) {
    area.zero(0, area.size());
    layout.writeTo(area, 1, DOMAIN, completionQueue, shared);
    setState(QueuePairAreaLayout.CONNECTED);
    return new Responder(area, layout, deviceArea, keys, number -> data, FaultPort.OFF);
  }

  private void setState(long state) {
    area.putLong(QueuePairAreaLayout.OWNER_STATE_OFFSET, state);
  }

  private ReceiveQueue receives() {
    return new ReceiveQueue(area, layout, attributes);
  }

  private static ReceiveRequest receive(int first, int second) {
    return new ReceiveRequest(BUFFERS).begin(0).buffer(100, first, 7).buffer(200, second, 8);
  }

  private void aCompletionQueueThatIsNone() {
    for (int number : new int[] {-1, DeviceAreaLayout.MAX_COMPLETION_QUEUES}) {
      assertThatThrownBy(() -> responder(number, false))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(responder(DeviceAreaLayout.MAX_COMPLETION_QUEUES - 1, false).isAlive()).isTrue();
  }

  private void aReceiveWithForgedBuffers() {
    for (int count : new int[] {-1, Integer.MIN_VALUE}) {
      Responder peer = responder(0, false);
      receives().post(receive(3, 5));
      area.putInt(layout.receiveEntry(0), count);
      assertThat(peer.takeReceive()).isEqualTo(Responder.Take.TAKEN);
      assertThat(peer.capacity()).isZero();
      assertThat(peer.room(9)).isZero();
    }
    Responder peer = responder(0, false);
    receives().post(receive(3, 5));
    area.putInt(layout.receiveEntry(0), BUFFERS + 1);
    // Where a third buffer would be is the next entry.
    area.putInt(
        QueuePairAreaLayout.receiveBuffer(layout.receiveEntry(0), BUFFERS)
            + QueuePairAreaLayout.BUFFER_LENGTH_OFFSET,
        1000);
    assertThat(peer.takeReceive()).isEqualTo(Responder.Take.TAKEN);
    assertThat(peer.capacity()).isEqualTo(8);
    peer = responder(0, false);
    receives().post(receive(3, 5));
    long first = QueuePairAreaLayout.receiveBuffer(layout.receiveEntry(0), 0);
    area.putInt(first + QueuePairAreaLayout.BUFFER_LENGTH_OFFSET, -3);
    assertThat(peer.takeReceive()).isEqualTo(Responder.Take.TAKEN);
    assertThat(peer.capacity()).isEqualTo(5);
    assertThat(peer.room(9)).isEqualTo(5);
    assertThat(peer.receiveKey()).isEqualTo(8);
  }

  private void aReceiveIsFilledInItsOrder() {
    Responder peer = responder(0, false);
    assertThat(peer.takeReceive()).isEqualTo(Responder.Take.NONE_POSTED);
    assertQuiet();
    ReceiveQueue queue = receives();
    queue.post(receive(3, 5));
    queue.post(receive(4, 4));
    assertThat(peer.takeReceive()).isEqualTo(Responder.Take.TAKEN);
    assertThat(new QueuePairHazards(area).areClear()).isFalse();
    assertThat(area.getLong(QueuePairAreaLayout.RECEIVES_TAKEN_OFFSET)).isEqualTo(1);
    assertThat(peer.room(2)).isEqualTo(2);
    assertThat(peer.room(9)).isEqualTo(3);
    peer.advance(2);
    assertThat(peer.room(9)).isEqualTo(1);
    assertThat(peer.receiveAddress()).isEqualTo(102);
    peer.pause();
    assertQuiet();
    assertThat(peer.takeReceive()).isEqualTo(Responder.Take.TAKEN);
    assertThat(area.getLong(QueuePairAreaLayout.RECEIVES_TAKEN_OFFSET)).isEqualTo(1);
    assertThat(peer.receiveAddress()).isEqualTo(102);
    peer.advance(1);
    assertThat(peer.room(9)).isEqualTo(5);
    assertThat(peer.receiveAddress()).isEqualTo(200);
    peer.advance(5);
    assertThat(peer.room(9)).isZero();
    peer.deliver(0, 128, 0, 8, 0);
    assertQuiet();
    assertThat(peer.takeReceive()).isEqualTo(Responder.Take.TAKEN);
    assertThat(peer.room(9)).isEqualTo(4);
    peer.deliver(0, 128, 0, 0, 0);
    assertThat(peer.takeReceive()).isEqualTo(Responder.Take.NONE_POSTED);
  }

  private void assertQuiet() {
    assertThat(new QueuePairHazards(area).areClear()).isTrue();
  }

  private void aTargetThatBroke() {
    Responder peer = responder(0, false);
    receives().post(receive(3, 5));
    int key = keys.insert(DOMAIN, 0xff & ~KeyTable.FLUSH_PERSISTENT, 0, SIZE, 0);
    data.putLong(0, 5);
    for (long state : new long[] {QueuePairAreaLayout.BROKEN, QueuePairAreaLayout.NOT_CONNECTED}) {
      setState(state);
      assertThat(peer.isAlive()).isFalse();
      assertThat(peer.takeReceive()).isEqualTo(Responder.Take.BROKEN);
      assertThat(qword(peer, key)).isEqualTo(CompletionStatus.TRANSPORT_RETRY_EXCEEDED);
      assertThat(flush(new RemoteFlush(peer), key, WorkQueueEntryLayout.FLUSH_GLOBAL))
          .isEqualTo(CompletionStatus.TRANSPORT_RETRY_EXCEEDED);
      assertThat(data.getLong(0)).isEqualTo(5);
      assertQuiet();
    }
    setState(QueuePairAreaLayout.CONNECTED);
    assertThat(qword(peer, key)).isEqualTo(CompletionStatus.SUCCESS);
    assertThat(data.getLong(0)).isZero();
    assertThat(peer.takeReceive()).isEqualTo(Responder.Take.TAKEN);
  }

  private void aWindowUsedByItsOwner() {
    responder(0, false);
    int key = keys.insertWindow();
    keys.bind(key, DOMAIN, new WindowRange(0, SIZE, KeyTable.REMOTE_READ), 0, 1);
    for (int slot = 0; slot < QueuePairAreaLayout.HAZARD_SLOTS; slot++) {
      RegionAccess access = Responder.regionAccess(area, slot, keys, number -> data, FaultPort.OFF);
      assertThat(access.open(key, 0, 8, KeyTable.REMOTE_READ) == RegionAccess.Outcome.OPEN)
          .isEqualTo(slot != QueuePairAreaLayout.LOCAL_HAZARD);
    }
  }

  private CompletionStatus qword(Responder peer, int key) {
    operands.clear().putLong(0).putLong(0);
    return new RemoteQword(peer, FaultPort.OFF, () -> true)
        .run(WorkQueueEntryLayout.ATOMIC_WRITE, key, 0, operands, 0);
  }

  private CompletionStatus flush(RemoteFlush flush, int key, int type) {
    operands.clear().putInt(type).putInt(WorkQueueEntryLayout.FLUSH_RANGE).putLong(8);
    return flush.check(key, 0, operands, 0);
  }

  private boolean wakes(Responder peer, long armed, int status, int flags) {
    deviceArea.putLong(DeviceAreaLayout.armedWord(0), armed);
    assertThat(peer.takeReceive()).isEqualTo(Responder.Take.TAKEN);
    boolean wakes = peer.deliver(status, 128, flags, 0, 0);
    assertThat(deviceArea.getLong(DeviceAreaLayout.armedWord(0)))
        .isEqualTo(wakes ? DeviceAreaLayout.DISARMED : armed);
    return wakes;
  }

  private void whoIsWoken() {
    int solicited = CompletionLane.SOLICITED;
    Responder peer = responder(0, false);
    ReceiveQueue queue = receives();
    for (int i = 0; i < 4; i++) {
      queue.post(receive(1, 1));
    }
    assertThat(wakes(peer, DeviceAreaLayout.DISARMED, 0, solicited)).isFalse();
    assertThat(wakes(peer, DeviceAreaLayout.ARMED_ANY, 0, 0)).isTrue();
    assertThat(wakes(peer, DeviceAreaLayout.ARMED_SOLICITED, 0, 0)).isFalse();
    assertThat(wakes(peer, DeviceAreaLayout.ARMED_SOLICITED, 0, solicited)).isTrue();
    peer = responder(0, false);
    receives().post(receive(1, 1));
    assertThat(wakes(peer, DeviceAreaLayout.ARMED_SOLICITED, 1, 0)).isTrue();
  }

  private void whoIsTold() {
    assertThat(responder(0, false).askForReceive()).isFalse();
    assertThat(area.getLong(QueuePairAreaLayout.RECEIVE_ASKED_OFFSET)).isZero();
    Responder peer = responder(0, true);
    assertThat(peer.askForReceive()).isTrue();
    assertThat(area.getLong(QueuePairAreaLayout.RECEIVE_ASKED_OFFSET)).isEqualTo(1);
    assertThat(peer.reachedMark()).isFalse();
    for (long mark :
        new long[] {
          QueuePairAreaLayout.RECEIVE_MARK_OFFSET, QueuePairAreaLayout.COMPLETION_MARK_OFFSET
        }) {
      peer = responder(0, true);
      receives().post(receive(1, 1));
      area.putLong(mark, 1);
      assertThat(peer.reachedMark()).isFalse();
      peer.takeReceive();
      peer.deliver(0, 128, 0, 0, 0);
      assertThat(peer.reachedMark()).isTrue();
      assertThat(peer.reachedMark()).isFalse();
    }
    peer = responder(0, true);
    assertThat(peer.announces(7)).isFalse();
    new HazardSlot(area, QueuePairAreaLayout.hazard(QueuePairAreaLayout.FIRST_MAPPED_HAZARD))
        .announce(7);
    assertThat(peer.announces(7)).isTrue();
  }

  private void whoMustPersist() {
    Responder peer = responder(0, false);
    RemoteFlush flush = new RemoteFlush(peer);
    int all = KeyTable.FLUSH_GLOBAL | KeyTable.FLUSH_PERSISTENT;
    int owners = keys.insert(DOMAIN, all, 0, SIZE, KeyTable.PERSISTED_BY_OWNER);
    int nobodys = keys.insert(DOMAIN, all, 0, SIZE, 0);
    assertThat(flush(flush, owners, WorkQueueEntryLayout.FLUSH_PERSISTENT))
        .isEqualTo(CompletionStatus.SUCCESS);
    assertThat(flush.needsOwner()).isTrue();
    assertThat(flush.order()).isEqualTo(new FlushOrder(owners, DOMAIN, 0, 8, false));
    flush(flush, owners, WorkQueueEntryLayout.FLUSH_GLOBAL);
    assertThat(flush.needsOwner()).isFalse();
    flush(flush, nobodys, WorkQueueEntryLayout.FLUSH_PERSISTENT);
    assertThat(flush.needsOwner()).isFalse();
    assertThat(Responder.denied(RegionAccess.Outcome.DENIED))
        .isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
    assertThat(Responder.denied(RegionAccess.Outcome.UNREACHABLE))
        .isEqualTo(CompletionStatus.REMOTE_OPERATION_ERROR);
  }
}
