// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.VerbsException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The segments of this process's device: numbers them and publishes them in the device area. */
final class OwnSegments implements SegmentMap {
  private final MappedMemory area;
  private final AtomicReferenceArray<MappedMemory> memories =
      new AtomicReferenceArray<>(DeviceAreaLayout.MAX_SEGMENTS);
  private final int[] users = new int[DeviceAreaLayout.MAX_SEGMENTS];
  private long generation;

  OwnSegments(MappedMemory area) {
    this.area = area;
  }

  @Override
  public MappedMemory memory(int segment) {
    return segment < DeviceAreaLayout.MAX_SEGMENTS ? memories.get(segment) : null;
  }

  /** The number of a memory, entered if it is new; {@link #release} gives it back. */
  synchronized int acquire(MappedMemory memory) {
    int free = -1;
    for (int i = DeviceAreaLayout.MAX_SEGMENTS - 1; i >= 0; i--) {
      MappedMemory there = memories.get(i);
      if (there == memory) {
        users[i]++;
        return i;
      }
      if (there == null) {
        free = i;
      }
    }
    if (free < 0) {
      throw new VerbsException(
          VerbsException.Code.NO_RESOURCES,
          "the device has its " + DeviceAreaLayout.MAX_SEGMENTS + " segments already");
    }
    publish(free, memory);
    memories.set(free, memory);
    users[free] = 1;
    return free;
  }

  /** Gives one use back; true if it was the last, so that peers should drop their mapping. */
  synchronized boolean release(int segment) {
    if (--users[segment] > 0) {
      return false;
    }
    area.putLongRelease(
        DeviceAreaLayout.segmentEntry(segment) + SegmentEntryLayout.GENERATION_OFFSET, 0);
    memories.set(segment, null);
    return true;
  }

  private void publish(int segment, MappedMemory memory) {
    byte[] path =
        memory
            .backingFile()
            .map(file -> file.toAbsolutePath().toString().getBytes(StandardCharsets.UTF_8))
            .orElse(new byte[0]);
    if (path.length > SegmentEntryLayout.MAX_PATH) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "path of " + memory + " is longer than " + SegmentEntryLayout.MAX_PATH + " bytes");
    }
    long entry = DeviceAreaLayout.segmentEntry(segment);
    area.putLong(entry + SegmentEntryLayout.SIZE_OFFSET, memory.size());
    area.putInt(entry + SegmentEntryLayout.PATH_LENGTH_OFFSET, path.length);
    area.put(entry + SegmentEntryLayout.PATH_OFFSET, path, 0, path.length);
    area.putLongRelease(entry + SegmentEntryLayout.GENERATION_OFFSET, ++generation);
  }
}
