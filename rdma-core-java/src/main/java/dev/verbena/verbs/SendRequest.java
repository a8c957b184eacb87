// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

import java.nio.ByteBuffer;
import java.util.Set;

/**
 * A work request for the send queue: ibv_post_send(3). Mutable and reusable: begin with an
 * operation, add buffers or inline data and flags, post, begin again; the queue pair copies it
 * while posting. Not thread-safe. A request is unsignaled and unfenced unless said otherwise.
 */
public final class SendRequest {
  /** The operations; {@link Opcode} is what a completion tells. */
  public enum Operation {
    /** SEND. */
    SEND,
    /** SEND with immediate data. */
    SEND_WITH_IMMEDIATE,
    /** RDMA WRITE. */
    WRITE,
    /** RDMA WRITE with immediate data, which consumes a RECV at the peer. */
    WRITE_WITH_IMMEDIATE,
    /** RDMA READ. */
    READ,
    /** Atomic compare and swap of a remote qword. */
    COMPARE_AND_SWAP,
    /** Atomic fetch and add on a remote qword. */
    FETCH_AND_ADD,
    /** FLUSH of remote memory. */
    FLUSH,
    /** Atomic WRITE of a remote qword. */
    ATOMIC_WRITE,
    /** SEND that invalidates a key at the peer. */
    SEND_WITH_INVALIDATE,
    /** Bind of a window of this end's memory. */
    BIND_WINDOW,
    /** Invalidation of a window of this end. */
    LOCAL_INVALIDATE;

    /** What its completion tells. */
    public Opcode opcode() {
      return switch (this) {
        case SEND, SEND_WITH_IMMEDIATE, SEND_WITH_INVALIDATE -> Opcode.SEND;
        case WRITE, WRITE_WITH_IMMEDIATE -> Opcode.WRITE;
        case READ -> Opcode.READ;
        case COMPARE_AND_SWAP -> Opcode.COMPARE_AND_SWAP;
        case FETCH_AND_ADD -> Opcode.FETCH_AND_ADD;
        case FLUSH -> Opcode.FLUSH;
        case ATOMIC_WRITE -> Opcode.ATOMIC_WRITE;
        case BIND_WINDOW -> Opcode.BIND_WINDOW;
        case LOCAL_INVALIDATE -> Opcode.LOCAL_INVALIDATE;
      };
    }
  }

  private final ScatterGatherList buffers;
  private long requestId;
  private Operation operation = Operation.SEND;
  private long remoteAddress;
  private int remoteKey;
  private int immediate;
  private long compareAdd;
  private long swap;
  private long flushLength;
  private FlushType flushType = FlushType.GLOBAL;
  private FlushLevel flushLevel = FlushLevel.RANGE;
  private int windowKey;
  private long bindLength;
  private Set<AccessFlag> bindAccess = Set.of();
  private boolean signaled;
  private boolean fenced;
  private boolean solicited;
  private ByteBuffer inlineData;
  private int inlineOffset;
  private int inlineLength;

  /** Creates a request with room for {@code maxBuffers} buffers. */
  public SendRequest(int maxBuffers) {
    buffers = new ScatterGatherList(maxBuffers);
  }

  /** Begins a SEND. */
  public SendRequest send(long id) {
    return begin(id, Operation.SEND);
  }

  /** Begins a SEND with immediate data. */
  public SendRequest sendWithImmediate(long id, int immediateData) {
    begin(id, Operation.SEND_WITH_IMMEDIATE);
    immediate = immediateData;
    return this;
  }

  /** Begins a WRITE to {@code address} under {@code key}. */
  public SendRequest write(long id, long address, int key) {
    begin(id, Operation.WRITE);
    return remote(address, key);
  }

  /** Begins a WRITE with immediate data to {@code address} under {@code key}. */
  public SendRequest writeWithImmediate(long id, long address, int key, int immediateData) {
    begin(id, Operation.WRITE_WITH_IMMEDIATE);
    immediate = immediateData;
    return remote(address, key);
  }

  /** Begins a READ from {@code address} under {@code key}. */
  public SendRequest read(long id, long address, int key) {
    begin(id, Operation.READ);
    return remote(address, key);
  }

  /**
   * Begins an atomic compare and swap: the qword at {@code address}, which must be a multiple of 8,
   * becomes {@code swapIn} if it is {@code compare}. What was there before goes into the buffers,
   * of 8 bytes together. All values are in host byte order.
   */
  public SendRequest compareAndSwap(long id, long address, int key, long compare, long swapIn) {
    begin(id, Operation.COMPARE_AND_SWAP);
    compareAdd = compare;
    swap = swapIn;
    return remote(address, key);
  }

  /**
   * Begins an atomic fetch and add: {@code add} is added to the qword at {@code address}, modulo
   * 2^64. Address, buffers and byte order are as for {@link #compareAndSwap}.
   */
  public SendRequest fetchAndAdd(long id, long address, int key, long add) {
    begin(id, Operation.FETCH_AND_ADD);
    compareAdd = add;
    return remote(address, key);
  }

  /**
   * Begins a FLUSH of what this queue pair's earlier requests brought to {@code length} bytes at
   * {@code address}: its completion tells that they are placed as {@code type} says. Without
   * buffers.
   */
  public SendRequest flush(
      long id, long address, int key, long length, FlushType type, FlushLevel level) {
    begin(id, Operation.FLUSH);
    flushLength = length;
    flushType = type;
    flushLevel = level;
    return remote(address, key);
  }

  /**
   * Begins an ATOMIC_WRITE: the qword at {@code address}, which must be a multiple of 8, becomes
   * {@code value}, in host byte order, whole, and after all earlier requests of this queue pair
   * took effect, FLUSHes included. Without buffers.
   */
  public SendRequest atomicWrite(long id, long address, int key, long value) {
    begin(id, Operation.ATOMIC_WRITE);
    swap = value;
    return remote(address, key);
  }

  /**
   * Begins a SEND that invalidates, before it is received, the window that the peer bound to its
   * queue pair under {@code key}; the peer's completion tells the key.
   */
  public SendRequest sendWithInvalidate(long id, int key) {
    begin(id, Operation.SEND_WITH_INVALIDATE);
    windowKey = key;
    return this;
  }

  /**
   * Begins a bind of {@code window}, under its {@link MemoryWindow#remoteKey}, to {@code length}
   * bytes at {@code address} within {@code region}: ibv_wr_bind_mw(3). It is done before later
   * requests of this queue pair begin, so that a SEND behind it may carry the key. Without buffers.
   *
   * @param access what the peer may do: remote and FLUSH flags. REMOTE_WRITE and REMOTE_ATOMIC need
   *     a region with LOCAL_WRITE
   */
  public SendRequest bindWindow(
      long id,
      MemoryWindow window,
      MemoryRegion region,
      long address,
      long length,
      Set<AccessFlag> access) {
    begin(id, Operation.BIND_WINDOW);
    windowKey = window.remoteKey();
    bindLength = length;
    bindAccess = access;
    return remote(address, region.localKey());
  }

  /**
   * Begins the invalidation of the window that was bound to this queue pair under {@code key}. Its
   * completion tells that no operation of the peer goes through the window any more. Without
   * buffers.
   */
  public SendRequest localInvalidate(long id, int key) {
    begin(id, Operation.LOCAL_INVALIDATE);
    windowKey = key;
    return this;
  }

  /** Adds a local buffer: gathered from for SEND and WRITE, scattered to for READ and atomics. */
  public SendRequest buffer(long address, int length, int localKey) {
    buffers.add(address, length, localKey);
    return this;
  }

  /**
   * Gives the data itself instead of buffers: {@code length} bytes from an absolute index, copied
   * while posting; the source may be changed as soon as the post returns. At most the queue pair's
   * inline limit; for SEND and WRITE.
   */
  public SendRequest inline(ByteBuffer source, int offset, int length) {
    inlineData = source;
    inlineOffset = offset;
    inlineLength = length;
    return this;
  }

  /** Asks for a completion; without it only an error makes one. */
  public SendRequest signaled() {
    signaled = true;
    return this;
  }

  /** Starts only when earlier READs and atomics of this queue are done. */
  public SendRequest fenced() {
    fenced = true;
    return this;
  }

  /** Wakes a peer that waits for solicited events; SEND and WRITE with immediate only. */
  public SendRequest solicited() {
    solicited = true;
    return this;
  }

  private SendRequest begin(long id, Operation what) {
    requestId = id;
    operation = what;
    buffers.clear();
    signaled = false;
    fenced = false;
    solicited = false;
    inlineData = null;
    inlineLength = 0;
    compareAdd = 0;
    swap = 0;
    flushLength = 0;
    bindAccess = Set.of();
    return this;
  }

  private SendRequest remote(long address, int key) {
    remoteAddress = address;
    remoteKey = key;
    return this;
  }

  /** The id that the completion will carry. */
  public long requestId() {
    return requestId;
  }

  /** What to do. */
  public Operation operation() {
    return operation;
  }

  /** Address at the peer; of a bind, within the region. */
  public long remoteAddress() {
    return remoteAddress;
  }

  /** The peer's key for it; of a bind, the region's local key. */
  public int remoteKey() {
    return remoteKey;
  }

  /** Immediate data. */
  public int immediate() {
    return immediate;
  }

  /** What an atomic compares with, or adds. */
  public long compareAdd() {
    return compareAdd;
  }

  /** Bytes to flush. */
  public long flushLength() {
    return flushLength;
  }

  /** How far a FLUSH brings data. */
  public FlushType flushType() {
    return flushType;
  }

  /** What a FLUSH covers. */
  public FlushLevel flushLevel() {
    return flushLevel;
  }

  /** The key that a window is bound under, or that is invalidated. */
  public int windowKey() {
    return windowKey;
  }

  /** Bytes that a bind opens. */
  public long bindLength() {
    return bindLength;
  }

  /** What a bind allows. */
  public Set<AccessFlag> bindAccess() {
    return bindAccess;
  }

  /** What a compare and swap or an ATOMIC_WRITE puts in. */
  public long swap() {
    return swap;
  }

  /** Whether a completion was asked for. */
  public boolean isSignaled() {
    return signaled;
  }

  /** Whether the fence is set. */
  public boolean isFenced() {
    return fenced;
  }

  /** Whether the solicited bit is set. */
  public boolean isSolicited() {
    return solicited;
  }

  /** The source of inline data, or null. */
  public ByteBuffer inlineData() {
    return inlineData;
  }

  /** First index of the inline data. */
  public int inlineOffset() {
    return inlineOffset;
  }

  /** Bytes of inline data. */
  public int inlineLength() {
    return inlineLength;
  }

  /** Number of buffers. */
  public int bufferCount() {
    return buffers.count();
  }

  /** Address of buffer {@code i}. */
  public long bufferAddress(int i) {
    return buffers.address(i);
  }

  /** Bytes of buffer {@code i}. */
  public int bufferLength(int i) {
    return buffers.length(i);
  }

  /** Local key of buffer {@code i}. */
  public int bufferKey(int i) {
    return buffers.key(i);
  }
}
