// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.RemoteMapping;
import dev.verbena.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Direct loads from a shm peer's regions by application threads: each copy takes one of the queue
 * pair's reader hazard slots, announces, checks, copies and clears.
 */
final class ShmMappedReaders {
  private static final int SLOTS =
      QueuePairAreaLayout.ERRAND_HAZARD - QueuePairAreaLayout.FIRST_MAPPED_HAZARD;

  /** Bytes copied under one announcement, so that a revocation never waits long. */
  private static final int CHUNK = 1 << 18;

  private final SoftQueuePair queuePair;
  private final Responder peer;
  private final AtomicReferenceArray<RegionAccess> free = new AtomicReferenceArray<>(SLOTS);
  private volatile boolean closed;
  private volatile boolean drained;

  ShmMappedReaders(SoftQueuePair queuePair, MappedMemory peerArea, ShmLink link, Responder peer) {
    this.queuePair = queuePair;
    this.peer = peer;
    for (int i = 0; i < SLOTS; i++) {
      free.set(
          i,
          Responder.regionAccess(
              peerArea,
              QueuePairAreaLayout.FIRST_MAPPED_HAZARD + i,
              link.peerKeys(),
              link.peerSegments(),
              FaultPort.OFF));
    }
  }

  /** Opens a range, after the check that a READ of all of it would meet; empty if it can't be. */
  Optional<RemoteMapping> open(long address, long length, int key) {
    Mapping mapping = new Mapping(address, length, key);
    return mapping.isMappable() ? Optional.of(mapping) : Optional.empty();
  }

  /** Waits until every slot was free once. */
  void quiesce() {
    for (int i = 0; i < SLOTS; i++) {
      RegionAccess access = free.getAndSet(i, null);
      while (access == null && !drained) {
        Thread.onSpinWait();
        access = free.getAndSet(i, null);
      }
      if (access != null) {
        free.set(i, access);
      }
    }
  }

  /** Waits until no reader is inside, and lets none in any more. */
  void close() {
    closed = true;
    for (int i = 0; i < SLOTS; i++) {
      while (free.getAndSet(i, null) == null) {
        Thread.onSpinWait();
      }
    }
    drained = true;
  }

  private RegionAccess take() {
    while (!closed) {
      for (int i = 0; i < SLOTS; i++) {
        RegionAccess access = free.getAndSet(i, null);
        if (access != null) {
          access.setHome(i);
          return access;
        }
      }
      Thread.yield();
    }
    throw disconnected();
  }

  private static VerbsException disconnected() {
    return new VerbsException(
        VerbsException.Code.DISCONNECTED, "the connection that the mapping came from has ended");
  }

  private static VerbsException truncated(RegionAccess access, InternalError cause) {
    return new VerbsException(
        VerbsException.Code.DISCONNECTED,
        "the peer's memory was truncated: " + access.memory(),
        cause);
  }

  private final class Mapping implements RemoteMapping {
    private final long address;
    private final long length;
    private final int key;

    Mapping(long address, long length, int key) {
      this.address = address;
      this.length = length;
      this.key = key;
    }

    @Override
    public long length() {
      return length;
    }

    boolean isMappable() {
      RegionAccess access = take();
      try {
        boolean open = open(access, 0, length);
        if (open) {
          access.close();
        }
        return open;
      } finally {
        free.set(access.home(), access);
      }
    }

    @Override
    public void read(long offset, ByteBuffer target, int targetIndex, int count) {
      Objects.checkFromIndexSize(offset, count, length);
      RegionAccess access = take();
      try {
        for (int done = 0; done < count; ) {
          int run = Math.min(CHUNK, count - done);
          copy(access, offset + done, target, targetIndex + done, run);
          done += run;
        }
      } finally {
        free.set(access.home(), access);
      }
    }

    /** False if the key is right but the memory can't be mapped here. */
    private boolean open(RegionAccess access, long offset, long count) {
      RegionAccess.Outcome outcome =
          access.open(key, address + offset, count, KeyTable.REMOTE_READ);
      if (outcome == RegionAccess.Outcome.DENIED) {
        throw new VerbsException(
            VerbsException.Code.REJECTED,
            "the peer's key does not open " + count + " bytes of its memory");
      }
      return outcome == RegionAccess.Outcome.OPEN;
    }

    private void copy(RegionAccess access, long offset, ByteBuffer target, int index, int run) {
      if (!open(access, offset, run)) {
        throw disconnected();
      }
      try {
        if (!queuePair.isReady() || !peer.isAlive()) {
          throw disconnected();
        }
        access.memory().get(access.offset(), target, index, run);
        if (access.memory().isTruncated()) {
          throw truncated(access, null);
        }
      } catch (InternalError e) {
        throw truncated(access, e);
      } finally {
        access.close();
      }
    }
  }
}
