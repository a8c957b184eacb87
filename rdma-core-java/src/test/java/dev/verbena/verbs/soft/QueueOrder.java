// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.mutation.Attacks;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SharedReceiveQueueAttributes;
import dev.verbena.verbs.soft.mutation.Interleaving;
import dev.verbena.verbs.soft.mutation.OrderRuns;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A peer's engine and a queue's owner at the same queue. */
public final class QueueOrder implements Attacks {
  private static final int LENGTH = 11;
  private static final int KEY = 77;

  @Override
  public Map<String, Runnable> all() {
    return Map.of(
        "aReceiveIsWholeWhenItIsTaken", runs(WholeReceive::new),
        "aCompletionIsWholeWhenItIsPolled", runs(device -> new WholeCompletion()),
        "aReceiveIsTakenOrRecalled", runs(Recall::new),
        "aLaneTellsOfItsMark", runs(LaneMark::new));
  }

  /** A scenario with a device of its own for all runs. */
  private static Runnable runs(Function<SoftDevice, Interleaving.Scenario> scenario) {
    return () -> {
      try (Device device = new SoftProvider().open(DeviceOptions.defaults())) {
        OrderRuns.explore(() -> scenario.apply((SoftDevice) device));
      }
    };
  }

  private static ReceiveRequest receive(long id) {
    return new ReceiveRequest(1).begin(id).buffer(Iova.of(1, 64), LENGTH, KEY);
  }

  /** A RECV ring at its owner and, as a peer has it, at the engine. */
  private static class Ring {
    final MappedMemory deviceArea;
    final QueuePairAreaLayout layout;
    final MappedMemory area;
    final ReceiveQueue queue;
    final Responder peer;

    Ring(SoftDevice device) {
      QueuePairAttributes attributes;
      try (CompletionQueue completions = device.createCompletionQueue(8, null)) {
        attributes =
            QueuePairAttributes.of(completions, completions)
                .withDepths(1, 4)
                .withMaxBuffers(1)
                .withMaxInline(0);
      }
      layout = QueuePairAreaLayout.of(attributes);
      area = MappedMemory.of(ByteBuffer.allocateDirect((int) layout.size()));
      layout.writeTo(area, 1, 1, 0, true);
      area.putLong(QueuePairAreaLayout.OWNER_STATE_OFFSET, QueuePairAreaLayout.CONNECTED);
      deviceArea = MappedMemory.of(ByteBuffer.allocateDirect(256));
      queue = new ReceiveQueue(area, layout, attributes);
      peer =
          new Responder(
              area, layout, deviceArea, new KeyTable(area, null), number -> null, FaultPort.OFF);
    }

    boolean take() {
      return peer.takeReceive() == Responder.Take.TAKEN;
    }

    void deliver() {
      peer.deliver(0, 128, 0, LENGTH, 0);
    }
  }

  private static final class WholeReceive extends Ring implements Interleaving.Scenario {
    private static final int COUNT = 3;

    WholeReceive(SoftDevice device) {
      super(device);
    }

    @Override
    public List<Runnable> threads() {
      return List.of(this::post, this::use);
    }

    private void post() {
      for (int i = 0; i < COUNT; i++) {
        queue.post(receive(i));
      }
    }

    private void use() {
      for (int i = 0; i < COUNT; i++) {
        while (!take()) {
          Thread.onSpinWait();
        }
        assertThat(peer.capacity()).isEqualTo(LENGTH);
        assertThat(peer.receiveKey()).isEqualTo(KEY);
        assertThat(peer.receiveAddress()).isEqualTo(Iova.of(1, 64));
        deliver();
      }
    }
  }

  private static final class WholeCompletion implements Interleaving.Scenario {
    private static final int DEPTH = 4;

    private final MappedMemory area =
        MappedMemory.of(ByteBuffer.allocateDirect(DEPTH * CompletionLane.ENTRY_SIZE));
    private final CompletionLane producer = new CompletionLane(area, 0, DEPTH);
    private final CompletionLane consumer = new CompletionLane(area, 0, DEPTH);

    @Override
    public List<Runnable> threads() {
      return List.of(this::add, this::poll);
    }

    private void add() {
      for (int i = 1; i < DEPTH; i++) {
        producer.add(0, 128, 0, 0, LENGTH, i, i);
      }
    }

    private void poll() {
      for (int i = 1; i < DEPTH; i++) {
        while (consumer.peek() == 0) {
          Thread.onSpinWait();
        }
        assertThat(consumer.byteLength()).isEqualTo(LENGTH);
        assertThat(consumer.immediate()).isEqualTo(i);
        assertThat(consumer.request()).isEqualTo(i);
        consumer.advance();
      }
    }
  }

  /** A lane of a shared receive queue to which RECVs were dealt. */
  private static class Dealt extends Ring {
    static final int DEALT = 2;
    final StoredReceives stored = new StoredReceives(new SharedReceiveQueueAttributes(4, 1));
    final DealtLane lane;

    Dealt(SoftDevice device) {
      super(device);
      lane = new DealtLane(queue, area, layout);
      for (int i = 0; i < DEALT; i++) {
        stored.add(receive(i));
      }
      lane.deal(stored, DEALT);
    }
  }

  private static final class Recall extends Dealt implements Interleaving.Scenario {
    private int taken;

    Recall(SoftDevice device) {
      super(device);
    }

    @Override
    public List<Runnable> threads() {
      return List.of(this::takeAll, this::recall);
    }

    private void takeAll() {
      for (int i = 0; i < DEALT; i++) {
        if (take()) {
          taken++;
          deliver();
        }
      }
    }

    private void recall() {
      lane.recall(stored, 1);
      lane.recall(stored, 1);
    }

    @Override
    public void check() {
      assertThat(taken + stored.waiting() + lane.available()).isEqualTo(DEALT);
    }
  }

  private static final class LaneMark extends Dealt implements Interleaving.Scenario {
    private boolean engineTells;
    private boolean ownerKnows;
    private boolean tookOne;

    LaneMark(SoftDevice device) {
      super(device);
    }

    @Override
    public List<Runnable> threads() {
      return List.of(this::takeOne, this::mark);
    }

    private void takeOne() {
      tookOne = take();
      deliver();
      engineTells = peer.reachedMark();
    }

    private void mark() {
      int available = lane.count();
      ownerKnows = lane.setMark(1) || available < DEALT;
    }

    @Override
    public void check() {
      assertThat(tookOne).isTrue();
      assertThat(engineTells || ownerKnows).as("the mark was noticed").isTrue();
    }
  }
}
