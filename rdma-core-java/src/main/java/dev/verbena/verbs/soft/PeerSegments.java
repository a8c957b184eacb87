// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.memory.MemoryMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A shm peer's segments, mapped here when first touched. A mapping whose segment the peer gave back
 * is dropped by {@link #retire}, and unmapped by the caller once no engine can be inside it.
 */
final class PeerSegments implements SegmentMap {
  private static final Logger LOG = LoggerFactory.getLogger(PeerSegments.class);

  private record Mapping(long generation, MappedMemory memory) {}

  private final MappedMemory peerArea;
  private final AtomicReferenceArray<Mapping> mappings =
      new AtomicReferenceArray<>(DeviceAreaLayout.MAX_SEGMENTS);
  private final List<MappedMemory> replaced = new ArrayList<>();
  private boolean closed;

  PeerSegments(MappedMemory peerArea) {
    this.peerArea = peerArea;
  }

  @Override
  public MappedMemory memory(int segment) {
    if (segment >= DeviceAreaLayout.MAX_SEGMENTS) {
      return null;
    }
    Mapping mapping = mappings.get(segment);
    if (mapping != null && mapping.generation == generation(segment)) {
      return mapping.memory;
    }
    return map(segment);
  }

  private long generation(int segment) {
    return peerArea.getLongAcquire(
        DeviceAreaLayout.segmentEntry(segment) + SegmentEntryLayout.GENERATION_OFFSET);
  }

  private synchronized MappedMemory map(int segment) {
    long generation = generation(segment);
    Mapping old = mappings.get(segment);
    if (old != null && old.generation == generation) {
      return old.memory;
    }
    if (generation == 0 || closed) {
      return null;
    }
    long entry = DeviceAreaLayout.segmentEntry(segment);
    long size = peerArea.getLong(entry + SegmentEntryLayout.SIZE_OFFSET);
    int length = peerArea.getInt(entry + SegmentEntryLayout.PATH_LENGTH_OFFSET);
    if (length <= 0 || length > SegmentEntryLayout.MAX_PATH) {
      return null;
    }
    byte[] path = new byte[length];
    peerArea.get(entry + SegmentEntryLayout.PATH_OFFSET, path, 0, length);
    Path file = Path.of(new String(path, StandardCharsets.UTF_8));
    try {
      MappedMemory memory = MemoryMapper.open(file);
      if (memory.size() < size) {
        memory.close();
        LOG.warn("segment {} of a peer is {} B, expected {} B", file, memory.size(), size);
        return null;
      }
      mappings.set(segment, new Mapping(generation, memory));
      if (old != null) {
        replaced.add(old.memory);
      }
      return memory;
    } catch (IOException e) {
      LOG.warn("can't map segment {} of a peer", file, e);
      return null;
    }
  }

  /** Takes out the mappings whose segments the peer gave back; the caller unmaps them later. */
  synchronized List<MappedMemory> retire() {
    List<MappedMemory> stale = new ArrayList<>(replaced);
    replaced.clear();
    for (int i = 0; i < DeviceAreaLayout.MAX_SEGMENTS; i++) {
      Mapping mapping = mappings.get(i);
      if (mapping != null && (closed || mapping.generation != generation(i))) {
        mappings.set(i, null);
        stale.add(mapping.memory);
      }
    }
    return stale;
  }

  /** As {@link #retire}, for all, and nothing is mapped any more. */
  synchronized List<MappedMemory> retireAll() {
    closed = true;
    return retire();
  }
}
