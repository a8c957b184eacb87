// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;

/**
 * Opens ranges of one device's memory under its keys: announce, check, use, clear. One thread at a
 * time, one range at a time.
 */
final class RegionAccess {
  /** How an attempt ended. */
  enum Outcome {
    OPEN,
    /** Key, domain, permission or range is wrong. */
    DENIED,
    /** The key is right but the memory can't be reached from here. */
    UNREACHABLE
  }

  private final HazardSlot hazard;
  private final FaultPort faults;
  private final KeyTable keys;
  private final SegmentMap segments;
  private final int domain;
  private final int queuePair;
  private MappedMemory memory;
  private long offset;
  private int home;

  /**
   * Creates the access that queue pair {@code queuePair} of the memory's device gives, or {@link
   * KeyTable#NO_QUEUE_PAIR}, which opens no windows.
   */
  RegionAccess(
      HazardSlot hazard,
      KeyTable keys,
      SegmentMap segments,
      int domain,
      int queuePair,
      FaultPort faults) {
    this.hazard = hazard;
    this.faults = faults;
    this.keys = keys;
    this.segments = segments;
    this.domain = domain;
    this.queuePair = queuePair;
  }

  /** Opens a range; after OPEN, {@link #close} must follow. */
  Outcome open(int key, long address, long length, int access) {
    if (!announce(key, address, length, access)) {
      return Outcome.DENIED;
    }
    MappedMemory found = segments.memory(Iova.segment(address));
    if (found == null) {
      hazard.clear();
      return Outcome.UNREACHABLE;
    }
    memory = found;
    offset = Iova.offset(address);
    return Outcome.OPEN;
  }

  /** Announces a range and checks its key; after true, {@link #close} must follow. */
  boolean announce(int key, long address, long length, int access) {
    announce(key);
    return allowedOrCleared(keys.allows(key, domain, queuePair, access, address, length));
  }

  /** As {@link #announce}, for whatever range the key has. */
  boolean announceWhole(int key, int access) {
    announce(key);
    return allowedOrCleared(keys.allowsWhole(key, domain, queuePair, access));
  }

  private void announce(int key) {
    hazard.announce(KeyTable.slot(key));
    faults.at(FaultStep.KEY_ANNOUNCED);
  }

  private boolean allowedOrCleared(boolean allowed) {
    if (!allowed) {
      hazard.clear();
      return false;
    }
    faults.at(FaultStep.KEY_CHECKED);
    return true;
  }

  /** Of the key announced: whether only the owner can make its memory persistent. */
  boolean isPersistedByOwner(int key) {
    return keys.isPersistedByOwner(key);
  }

  /** Ends a window that is bound to the queue pair; false if there is none of that key. */
  boolean invalidate(int key) {
    return keys.invalidate(key, domain, queuePair);
  }

  int domain() {
    return domain;
  }

  MappedMemory memory() {
    return memory;
  }

  long offset() {
    return offset;
  }

  /**
   * After an access, before anyone is told of it: fails if the memory's file was truncated, so that
   * what was read is undefined and what was written may be lost. A system call.
   */
  void requireWhole() {
    if (memory.isTruncated()) {
      throw new IllegalStateException(memory + " was truncated while it was accessed");
    }
  }

  /** Remembers for its pool where it belongs. */
  void setHome(int slot) {
    home = slot;
  }

  int home() {
    return home;
  }

  /** As {@link #close}, after a failure and not a step of the engine. */
  void letGo() {
    memory = null;
    hazard.clear();
  }

  void close() {
    memory = null;
    hazard.clear();
    faults.at(FaultStep.HAZARD_CLEARED);
  }
}
