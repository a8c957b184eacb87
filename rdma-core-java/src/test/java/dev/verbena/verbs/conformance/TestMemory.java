// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.Pattern;
import dev.verbena.verbs.FlushLevel;
import dev.verbena.verbs.FlushType;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;

/** A registered range and the requests that name it. Offsets are within the region. */
final class TestMemory {
  private static final int MAX_BUFFERS = 16;

  private final MemoryRegion region;
  private final MappedMemory memory;

  TestMemory(MemoryRegion region) {
    this.region = region;
    this.memory = region.memory();
  }

  MemoryRegion region() {
    return region;
  }

  MappedMemory memory() {
    return memory;
  }

  long address(long offset) {
    return region.address() + offset;
  }

  /** Begins a WRITE into this memory, seen from the peer. */
  SendRequest write(long id, long offset) {
    return new SendRequest(MAX_BUFFERS).write(id, address(offset), region.remoteKey());
  }

  /** Begins a WRITE with immediate into this memory, seen from the peer. */
  SendRequest writeWithImmediate(long id, long offset, int immediate) {
    return new SendRequest(MAX_BUFFERS)
        .writeWithImmediate(id, address(offset), region.remoteKey(), immediate);
  }

  /** Begins a READ from this memory, seen from the peer. */
  SendRequest read(long id, long offset) {
    return new SendRequest(MAX_BUFFERS).read(id, address(offset), region.remoteKey());
  }

  /** Begins a compare and swap of a qword of this memory, seen from the peer. */
  SendRequest compareAndSwap(long id, long offset, long compare, long swap) {
    return new SendRequest(MAX_BUFFERS)
        .compareAndSwap(id, address(offset), region.remoteKey(), compare, swap);
  }

  /** Begins a fetch and add on a qword of this memory, seen from the peer. */
  SendRequest fetchAndAdd(long id, long offset, long add) {
    return new SendRequest(MAX_BUFFERS).fetchAndAdd(id, address(offset), region.remoteKey(), add);
  }

  /** Begins a FLUSH of a range of this memory, seen from the peer. */
  SendRequest flush(long id, long offset, long length, FlushType type) {
    return new SendRequest(MAX_BUFFERS)
        .flush(id, address(offset), region.remoteKey(), length, type, FlushLevel.RANGE);
  }

  /** Begins a FLUSH of this whole memory, seen from the peer. */
  SendRequest flushAll(long id, FlushType type) {
    return new SendRequest(MAX_BUFFERS)
        .flush(id, 0, region.remoteKey(), 0, type, FlushLevel.REGION);
  }

  /** Begins an ATOMIC_WRITE of a qword of this memory, seen from the peer. */
  SendRequest atomicWrite(long id, long offset, long value) {
    return new SendRequest(MAX_BUFFERS).atomicWrite(id, address(offset), region.remoteKey(), value);
  }

  /** A SEND of a range of this memory. */
  SendRequest send(long id, long offset, int length) {
    return addTo(new SendRequest(MAX_BUFFERS).send(id), offset, length);
  }

  /** A RECV into a range of this memory. */
  ReceiveRequest receive(long id, long offset, int length) {
    return addTo(new ReceiveRequest(MAX_BUFFERS).begin(id), offset, length);
  }

  SendRequest addTo(SendRequest request, long offset, int length) {
    return request.buffer(address(offset), length, region.localKey());
  }

  ReceiveRequest addTo(ReceiveRequest request, long offset, int length) {
    return request.buffer(address(offset), length, region.localKey());
  }

  /** Fills the whole region, from its first byte on. */
  TestMemory fill(long seed) {
    return fill(0, region.length(), seed);
  }

  /** Puts the first bytes of pattern {@code seed} at {@code offset}. */
  TestMemory fill(long offset, long length, long seed) {
    new Pattern(seed).fill(memory, region.offset() + offset, length);
    return this;
  }

  /** Checks that the first bytes of pattern {@code seed} are at {@code offset}. */
  void expect(long offset, long length, long seed) {
    assertThat(new Pattern(seed).mismatch(memory, region.offset() + offset, length))
        .as("first differing byte of %d at %d", length, offset)
        .isEqualTo(-1);
  }

  void expect(long offset, byte[] expected) {
    assertThat(bytes(offset, expected.length)).isEqualTo(expected);
  }

  void put(long offset, byte[] bytes) {
    memory.put(region.offset() + offset, bytes, 0, bytes.length);
  }

  byte[] bytes(long offset, int length) {
    byte[] result = new byte[length];
    memory.get(region.offset() + offset, result, 0, length);
    return result;
  }

  long getLong(long offset) {
    return memory.getLongVolatile(region.offset() + offset);
  }

  void putLong(long offset, long value) {
    memory.putLongVolatile(region.offset() + offset, value);
  }
}
