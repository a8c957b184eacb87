// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.mutation.Attacks;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.FlushLevel;
import dev.verbena.verbs.FlushType;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.SendRequest;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;

/** Send queue entries that something wrote into the ring: a chain, a stray store. */
public final class EntryAttacks implements Attacks {
  private static final int PAIR = 0x1234;
  private static final int DOMAIN = 2;
  private static final int SECOND_LENGTH = WorkQueueEntryLayout.SEGMENT;

  private final QueuePairAttributes attributes;
  private final QueuePairAreaLayout layout;
  private final WorkEntry entry = new WorkEntry();
  private MappedMemory area;

  /** A ring for entries of two buffers. */
  public EntryAttacks() {
    try (Device device = new SoftProvider().open(DeviceOptions.defaults());
        CompletionQueue completions = device.createCompletionQueue(8, null)) {
      attributes =
          QueuePairAttributes.of(completions, completions).withDepths(4, 4).withMaxBuffers(2);
    }
    layout = QueuePairAreaLayout.of(attributes);
  }

  @Override
  public Map<String, Runnable> all() {
    Map<String, Runnable> all = new LinkedHashMap<>();
    all.put("anEntryThatIsRight", this::anEntryThatIsRight);
    all.put("anEntryThatIsNotTheOne", this::anEntryThatIsNotTheOne);
    all.put("anEntryThatEndsEarly", this::anEntryThatEndsEarly);
    all.put("anEntryOfAnotherLength", this::anEntryOfAnotherLength);
    all.put("inlineDataWhereNoneIsTaken", this::inlineDataWhereNoneIsTaken);
    all.put("buffersThatAreNotOnesOwn", this::buffersThatAreNotOnesOwn);
    return all;
  }

  private static SendRequest[] requests() {
    return new SendRequest[] {
      two(new SendRequest(2).send(0), 3),
      two(new SendRequest(2).sendWithImmediate(0, 7), 3),
      two(new SendRequest(2).sendWithInvalidate(0, 7), 3),
      two(new SendRequest(2).write(0, 1, 2), 3),
      two(new SendRequest(2).writeWithImmediate(0, 1, 2, 7), 3),
      two(new SendRequest(2).read(0, 1, 2), 3),
      two(new SendRequest(2).compareAndSwap(0, 8, 2, 3, 4), 4),
      two(new SendRequest(2).fetchAndAdd(0, 8, 2, 3), 4),
      new SendRequest(2).atomicWrite(0, 8, 2, 3),
      new SendRequest(2).flush(0, 8, 2, 3, FlushType.GLOBAL, FlushLevel.RANGE),
      new SendRequest(2).localInvalidate(0, 7),
    };
  }

  /** With two buffers. */
  private static SendRequest two(SendRequest request, int length) {
    return request.buffer(16, length, 5).buffer(32, 8 - length, 5);
  }

  private static SendRequest inline(SendRequest request, int length) {
    return request.inline(ByteBuffer.allocate(length), 0, length);
  }

  private WorkEntry write(SendRequest request) {
    area = MappedMemory.of(ByteBuffer.allocateDirect((int) layout.size()));
    SendQueue queue = new SendQueue(area, layout, attributes, PAIR);
    queue.check(request);
    assertThat(queue.write(request)).isTrue();
    assertThat(load()).as("%s", request.operation()).isTrue();
    return entry;
  }

  private boolean load() {
    return entry.load(area, layout, 0, PAIR);
  }

  private int word(int offset) {
    return Integer.reverseBytes(area.getInt(layout.sendBlock(0) + offset));
  }

  private void put(int offset, int value) {
    area.putInt(layout.sendBlock(0) + offset, Integer.reverseBytes(value));
  }

  private void refusedWith(int offset, int value) {
    int was = word(offset);
    put(offset, value);
    assertThat(load()).as("%d in place of %d at %d", value, was, offset).isFalse();
    put(offset, was);
    assertThat(load()).isTrue();
  }

  private void anEntryThatIsRight() {
    for (SendRequest request : requests()) {
      WorkEntry loaded = write(request);
      assertThat(loaded.hasRightLength()).isTrue();
      assertThat(loaded.isInline()).isFalse();
      assertThat(loaded.isSignaled()).isFalse();
      assertThat(loaded.isSolicited()).isFalse();
      assertThat(loaded.isFenced()).isFalse();
      if (request.bufferCount() > 0) {
        assertThat(loaded.total()).isEqualTo(8);
        assertThat(loaded.run(2)).isEqualTo(2);
        int first = loaded.run(8);
        loaded.advance(first);
        assertThat(loaded.run(8)).isEqualTo(8 - first);
        loaded.advance(8 - first);
        assertThat(loaded.run(8)).isZero();
      }
      assertThat(entry.load(area, layout, 0, PAIR)).isTrue();
    }
    assertThat(write(new SendRequest(2).write(0, 1, 2)).remoteAddress()).isEqualTo(1);
    assertThat(entry.remoteKey()).isEqualTo(2);
    assertThat(entry.total()).isZero();
    WorkEntry flagged = write(new SendRequest(2).send(0).signaled().solicited().fenced());
    assertThat(flagged.isSignaled()).isTrue();
    assertThat(flagged.isSolicited()).isTrue();
    assertThat(flagged.isFenced()).isTrue();
    // What is behind the entry in its block is not of it.
    write(new SendRequest(2).send(0));
    put(WorkQueueEntryLayout.SEGMENT, WorkQueueEntryLayout.INLINE | 4);
    assertThat(load()).isTrue();
    assertThat(entry.total()).isZero();
    WorkEntry one = write(new SendRequest(2).send(0).buffer(16, 3, 5));
    put(2 * WorkQueueEntryLayout.SEGMENT, 5);
    assertThat(load()).isTrue();
    one.advance(one.run(8));
    assertThat(one.run(8)).isZero();
    WorkEntry data = write(inline(new SendRequest(2).write(0, 1, 2), 60));
    assertThat(data.isInline()).isTrue();
    assertThat(data.total()).isEqualTo(60);
    assertThat(data.run(100)).isEqualTo(60);
  }

  private void anEntryThatIsNotTheOne() {
    for (SendRequest request : requests()) {
      write(request);
      int first = word(WorkQueueEntryLayout.FIRST_WORD_OFFSET);
      int second = word(WorkQueueEntryLayout.SECOND_WORD_OFFSET);
      refusedWith(
          WorkQueueEntryLayout.FIRST_WORD_OFFSET, first + (1 << WorkQueueEntryLayout.INDEX_SHIFT));
      refusedWith(
          WorkQueueEntryLayout.SECOND_WORD_OFFSET,
          second + (1 << WorkQueueEntryLayout.QUEUE_PAIR_SHIFT));
      for (int opcode : new int[] {0x00, 0x0f, 0x14, 0xff}) {
        refusedWith(
            WorkQueueEntryLayout.FIRST_WORD_OFFSET,
            (first & ~WorkQueueEntryLayout.OPCODE_MASK) | opcode);
      }
    }
  }

  private void anEntryThatEndsEarly() {
    for (SendRequest request : requests()) {
      write(request);
      int second = word(WorkQueueEntryLayout.SECOND_WORD_OFFSET);
      int segments = second & WorkQueueEntryLayout.SEGMENTS_MASK;
      for (int fewer = 0; fewer < segments - request.bufferCount(); fewer++) {
        refusedWith(WorkQueueEntryLayout.SECOND_WORD_OFFSET, second - segments + fewer);
      }
    }
    write(inline(new SendRequest(2).send(0), 12));
    refusedWith(WorkQueueEntryLayout.SEGMENT, WorkQueueEntryLayout.INLINE | 13);
    refusedWith(WorkQueueEntryLayout.SEGMENT, -1);
  }

  private void anEntryOfAnotherLength() {
    write(two(new SendRequest(2).send(0), 3));
    refusedWith(WorkQueueEntryLayout.SEGMENT + SECOND_LENGTH, -1);
    put(WorkQueueEntryLayout.SEGMENT, (int) SoftDevice.MAX_MESSAGE - 5);
    assertThat(load()).isTrue();
    assertThat(entry.hasRightLength()).isTrue();
    put(WorkQueueEntryLayout.SEGMENT, (int) SoftDevice.MAX_MESSAGE - 4);
    assertThat(load()).isTrue();
    assertThat(entry.hasRightLength()).isFalse();
    write(two(new SendRequest(2).fetchAndAdd(0, 8, 2, 3), 4));
    put(3 * WorkQueueEntryLayout.SEGMENT, 5);
    assertThat(load()).isTrue();
    assertThat(entry.hasRightLength()).isFalse();
    for (SendRequest request : requests()) {
      if (request.bufferCount() == 0) {
        write(request);
        int second = word(WorkQueueEntryLayout.SECOND_WORD_OFFSET);
        int segments = second & WorkQueueEntryLayout.SEGMENTS_MASK;
        put(WorkQueueEntryLayout.SECOND_WORD_OFFSET, second + 1);
        put(segments * WorkQueueEntryLayout.SEGMENT, 8);
        assertThat(load()).isTrue();
        assertThat(entry.hasRightLength()).isFalse();
      }
    }
  }

  private void inlineDataWhereNoneIsTaken() {
    for (SendRequest request : requests()) {
      write(request);
      int opcode = entry.opcode();
      int second = word(WorkQueueEntryLayout.SECOND_WORD_OFFSET);
      int segments = second & WorkQueueEntryLayout.SEGMENTS_MASK;
      boolean takesIt =
          !WorkQueueEntryLayout.bringsData(opcode)
              && !WorkQueueEntryLayout.hasOperands(opcode)
              && !WorkQueueEntryLayout.isLocal(opcode);
      int fixed = segments - request.bufferCount();
      put(WorkQueueEntryLayout.SECOND_WORD_OFFSET, second - segments + fixed + 1);
      put(fixed * WorkQueueEntryLayout.SEGMENT, WorkQueueEntryLayout.INLINE | 8);
      assertThat(load()).as("inline %s", request.operation()).isEqualTo(takesIt);
    }
  }

  private void buffersThatAreNotOnesOwn() {
    MappedMemory device =
        MappedMemory.of(ByteBuffer.allocateDirect((int) DeviceAreaLayout.SEGMENT_TABLE));
    KeyTable keys = new KeyTable(device, new SecureRandom());
    MappedMemory memory = MappedMemory.of(ByteBuffer.allocateDirect(64));
    area = MappedMemory.of(ByteBuffer.allocateDirect((int) layout.size()));
    RegionAccess local =
        new RegionAccess(
            new HazardSlot(area, QueuePairAreaLayout.hazard(QueuePairAreaLayout.LOCAL_HAZARD)),
            keys,
            number -> memory,
            DOMAIN,
            KeyTable.NO_QUEUE_PAIR,
            FaultPort.OFF);
    int writable = keys.insert(DOMAIN, KeyTable.LOCAL_WRITE, 0, 64, 0);
    int readable = keys.insert(DOMAIN, KeyTable.REMOTE_READ, 0, 64, 0);
    ByteBuffer data = ByteBuffer.allocate(8).putLong(0, -1);
    for (int second : new int[] {writable, readable}) {
      memory.zero(0, 64);
      boolean allowed = second == writable;
      write(
          new SendRequest(2).fetchAndAdd(0, 8, 2, 3).buffer(0, 3, writable).buffer(32, 5, second));
      assertThat(entry.isWritable(local)).isEqualTo(allowed);
      assertThat(entry.scatter(local, data, 0, 8)).isEqualTo(allowed);
      assertThat(memory.getLong(0)).isEqualTo(0xff_ffffL);
      assertThat(memory.getLong(32)).isEqualTo(allowed ? 0xff_ffff_ffffL : 0);
    }
    write(new SendRequest(2).fetchAndAdd(0, 8, 2, 3).buffer(8, 8, writable));
    assertThat(entry.scatterFound(local, 77)).isTrue();
    assertThat(memory.getLong(8)).isEqualTo(77);
  }
}
