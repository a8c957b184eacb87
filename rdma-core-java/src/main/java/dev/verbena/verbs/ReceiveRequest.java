// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

/**
 * A RECV to post: ibv_post_recv(3). Mutable and reusable: fill, post, fill again; the queue pair
 * copies it while posting. Not thread-safe.
 */
public final class ReceiveRequest {
  private final ScatterGatherList buffers;
  private long requestId;

  /** Creates a request with room for {@code maxBuffers} buffers. */
  public ReceiveRequest(int maxBuffers) {
    buffers = new ScatterGatherList(maxBuffers);
  }

  /** Starts a request without buffers (enough for a WRITE with immediate). */
  public ReceiveRequest begin(long id) {
    requestId = id;
    buffers.clear();
    return this;
  }

  /** Adds a buffer: region address, bytes, local key. */
  public ReceiveRequest buffer(long address, int length, int localKey) {
    buffers.add(address, length, localKey);
    return this;
  }

  /** The id that the completion will carry. */
  public long requestId() {
    return requestId;
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
