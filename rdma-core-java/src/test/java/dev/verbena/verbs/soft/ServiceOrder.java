// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.Fences;
import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.mutation.Attacks;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.FlushLevel;
import dev.verbena.verbs.FlushType;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.soft.mutation.Interleaving;
import dev.verbena.verbs.soft.mutation.OrderRuns;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Operations on qwords, FLUSH, and what a peer asks of the owner's device thread. */
public final class ServiceOrder implements Attacks {
  private static final int ADD = WorkQueueEntryLayout.FETCH_AND_ADD;
  private static final int SWAP = WorkQueueEntryLayout.COMPARE_AND_SWAP;

  @Override
  public Map<String, Runnable> all() {
    return Map.of(
        "anAtomicWritePublishes",
        () -> OrderRuns.explore(Publication::new),
        "noAdditionIsLost",
        () -> OrderRuns.explore(Additions::new),
        "oneSwapSucceeds",
        () -> OrderRuns.explore(Swaps::new),
        "whatWasFlushedIsSeen",
        runs(Flush::new),
        "anErrandIsReadAndAnsweredWhole",
        runs(AskedErrand::new),
        "aFlushIsReadAndAnsweredWhole",
        runs(AskedFlush::new));
  }

  private static Runnable runs(Function<SoftDevice, Interleaving.Scenario> scenario) {
    return () -> {
      try (Device device = new SoftProvider().open(DeviceOptions.defaults())) {
        OrderRuns.explore(() -> scenario.apply((SoftDevice) device));
      }
    };
  }

  private static MappedMemory memory(long bytes) {
    return MappedMemory.of(ByteBuffer.allocateDirect((int) bytes));
  }

  /** WRITE, then ATOMIC_WRITE; the owner reads the qword, then the data. */
  private static final class Publication implements Interleaving.Scenario {
    private final MappedMemory memory = memory(64);

    @Override
    public List<Runnable> threads() {
      return List.of(this::publish, this::read);
    }

    private void publish() {
      memory.putLong(0, 7);
      RemoteQword.execute(WorkQueueEntryLayout.ATOMIC_WRITE, memory, 8, 1, 0);
    }

    private void read() {
      while (memory.getLongAcquire(8) == 0) {
        Thread.onSpinWait();
      }
      assertThat(memory.getLong(0)).isEqualTo(7);
    }
  }

  private static final class Additions implements Interleaving.Scenario {
    private final MappedMemory memory = memory(8);

    @Override
    public List<Runnable> threads() {
      return List.of(this::add, this::add);
    }

    private void add() {
      RemoteQword.execute(ADD, memory, 0, 1, 0);
      RemoteQword.execute(ADD, memory, 0, 1, 0);
    }

    @Override
    public void check() {
      assertThat(memory.getLong(0)).isEqualTo(4);
    }
  }

  private static final class Swaps implements Interleaving.Scenario {
    private final MappedMemory memory = memory(8);
    private int succeeded;

    @Override
    public List<Runnable> threads() {
      return List.of(() -> swap(1), () -> swap(2));
    }

    private void swap(long to) {
      if (RemoteQword.execute(SWAP, memory, 0, to, 0) == 0) {
        succeeded++;
      }
    }

    @Override
    public void check() {
      assertThat(succeeded).isEqualTo(1);
    }
  }

  /** Keeps the table small. */
  private static final class Slot7 extends SecureRandom {
    @Override
    public int nextInt() {
      return 0x1000_0007;
    }
  }

  /** A connected area with a region of its own, which a peer's engine is at. */
  private static class Target {
    static final long SIZE = 64;
    final QueuePairAreaLayout layout;
    final QueuePairAttributes attributes;
    final MappedMemory area;
    final MappedMemory data = memory(SIZE);
    final KeyTable keys = new KeyTable(memory(DeviceAreaLayout.keyEntry(8)), new Slot7());
    final ShmLink link;
    final Responder peer;

    Target(SoftDevice device) {
      try (CompletionQueue completions = device.createCompletionQueue(8, null)) {
        attributes = QueuePairAttributes.of(completions, completions).withDepths(1, 1);
      }
      layout = QueuePairAreaLayout.of(attributes);
      area = memory(layout.size());
      layout.writeTo(area, 1, 1, 0, false);
      area.putLong(QueuePairAreaLayout.OWNER_STATE_OFFSET, QueuePairAreaLayout.CONNECTED);
      peer = new Responder(area, layout, area, keys, number -> data, FaultPort.OFF);
      link = deadLink(device);
    }

    int region(int access, long flags) {
      return keys.insert(1, access, 0, SIZE, flags);
    }

    /** The entry of a FLUSH of the region's first bytes. */
    WorkEntry flush(int key, FlushType type) {
      SendQueue queue = new SendQueue(area, layout, attributes, 1);
      assertThat(queue.write(new SendRequest(1).flush(0, 0, key, 24, type, FlushLevel.RANGE)))
          .isTrue();
      WorkEntry entry = new WorkEntry();
      assertThat(queue.load(0, entry)).isTrue();
      return entry;
    }
  }

  /** One over which no byte goes. */
  private static ShmLink deadLink(SoftDevice device) {
    try {
      ShmLink link = new ShmLink(device, device.incarnation(), SocketChannel.open(), memory(64));
      link.failed(new IOException("there is no peer"));
      return link;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** WRITE, FLUSH, READ of another word, against a store, a fence and a load of the owner. */
  private static final class Flush extends Target implements Interleaving.Scenario {
    private final WorkEntry entry;
    private final int key;
    private long seenByPeer;
    private long seenByOwner;

    Flush(SoftDevice device) {
      super(device);
      key = region(KeyTable.FLUSH_GLOBAL, 0);
      entry = flush(key, FlushType.GLOBAL);
    }

    @Override
    public List<Runnable> threads() {
      return List.of(this::write, this::store);
    }

    private void write() {
      data.putLong(0, 1);
      CompletionStatus status =
          new RemoteFlush(peer).check(key, 0, entry.bytes(), WorkQueueEntryLayout.OPERANDS);
      assertThat(status).isEqualTo(CompletionStatus.SUCCESS);
      seenByPeer = data.getLong(8);
    }

    private void store() {
      data.putLong(8, 1);
      Fences.full();
      seenByOwner = data.getLong(0);
    }

    @Override
    public void check() {
      assertThat(seenByPeer + seenByOwner).isPositive();
    }
  }

  private static final class AskedFlush extends Target implements Interleaving.Scenario {
    private final SoftProtectionDomain domain;
    private final CompletionQueue completions;
    private final SoftQueuePair pair;
    private final ShmFlush requester;
    private final WorkEntry entry;
    private final int key;
    private boolean done;

    AskedFlush(SoftDevice device) {
      super(device);
      key = region(KeyTable.FLUSH_PERSISTENT, KeyTable.PERSISTED_BY_OWNER);
      entry = flush(key, FlushType.PERSISTENT);
      domain = (SoftProtectionDomain) device.createProtectionDomain();
      completions = device.createCompletionQueue(8, null);
      pair =
          (SoftQueuePair)
              domain.createQueuePair(
                  QueuePairAttributes.of(completions, completions).withDepths(1, 1));
      requester = new ShmFlush(pair, link, area, peer);
    }

    @Override
    public List<Runnable> threads() {
      return List.of(this::ask, this::serve);
    }

    private void ask() {
      CompletionStatus status;
      do {
        status = requester.run(entry);
        Thread.onSpinWait();
      } while (status == null);
      assertThat(status).isEqualTo(CompletionStatus.REMOTE_OPERATION_ERROR);
    }

    private void serve() {
      FlushDesk desk =
          new FlushDesk(
              area,
              1,
              (order, answer) -> {
                assertThat(order).isEqualTo(new FlushOrder(key, 1, 0, 24, false));
                done = true;
                answer.accept(CompletionStatus.REMOTE_OPERATION_ERROR);
              },
              FaultPort.OFF);
      while (!done) {
        desk.serve();
        Thread.onSpinWait();
      }
    }

    @Override
    public void check() {
      pair.close();
      completions.close();
      domain.close();
    }
  }

  private static final class AskedErrand implements Interleaving.Scenario {
    private final SoftProtectionDomain domain;
    private final CompletionQueue completions;
    private final SoftQueuePair pair;
    private final MappedMemory data = memory(64);
    private final MemoryRegion region;
    private final ErrandDesk desk;
    private final Errand errand;

    AskedErrand(SoftDevice device) {
      domain = (SoftProtectionDomain) device.createProtectionDomain();
      completions = device.createCompletionQueue(8, null);
      pair =
          (SoftQueuePair)
              domain.createQueuePair(
                  QueuePairAttributes.of(completions, completions).withDepths(1, 1));
      MappedMemory area = pair.area();
      area.putLong(QueuePairAreaLayout.OWNER_STATE_OFFSET, QueuePairAreaLayout.CONNECTED);
      region =
          domain.register(
              data, 0, 64, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC));
      data.putLong(8, 40);
      ShmLink link = deadLink(device);
      errand = new Errand(pair, link, area, pair.ownResponder());
      desk = new ErrandDesk(pair, link, area);
    }

    @Override
    public List<Runnable> threads() {
      return List.of(this::ask, this::serve);
    }

    private void ask() {
      for (long old = 40; old < 44; old += 2) {
        errand.askQword(ADD, region.remoteKey(), region.address() + 8, 2, 0);
        CompletionStatus status = null;
        while (status == null) {
          Thread.onSpinWait();
          status = errand.answer();
        }
        assertThat(status).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(errand.found()).isEqualTo(old);
      }
    }

    private void serve() {
      while (pair.area().getLong(ErrandLayout.DONE_OFFSET) < 2) {
        desk.serve();
        Thread.onSpinWait();
      }
    }

    @Override
    public void check() {
      assertThat(data.getLong(8)).isEqualTo(44);
      region.close();
      pair.close();
      completions.close();
      domain.close();
    }
  }
}
