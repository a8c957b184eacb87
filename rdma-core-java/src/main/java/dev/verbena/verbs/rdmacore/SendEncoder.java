// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.verbs.FlushLevel;
import dev.verbena.verbs.FlushType;
import dev.verbena.verbs.SendRequest;
import java.nio.ByteBuffer;

/** Writes requests behind each other where native code takes them. One thread at a time. */
final class SendEncoder {
  /** No device makes it. */
  private static final int NO_KEY = 0;

  private final ByteBuffer bytes;
  private final long address;
  private final RdmaDevice device;
  private int end;

  SendEncoder(RdmaDevice device, int capacity) {
    this.device = device;
    this.bytes = NativeMemory.buffer(capacity);
    this.address = NativeMemory.address(bytes);
  }

  long address() {
    return address;
  }

  void clear() {
    end = 0;
  }

  /** Writes one request; it must have its place. */
  void add(long id, SendRequest request) {
    int at = end;
    bytes.putLong(at + SendLayout.ID_OFFSET, id);
    bytes.putLong(at + SendLayout.REMOTE_ADDRESS_OFFSET, request.remoteAddress());
    bytes.putLong(at + SendLayout.OPERAND_OFFSET, request.compareAdd());
    bytes.putLong(at + SendLayout.SECOND_OPERAND_OFFSET, request.swap());
    bytes.putInt(at + SendLayout.KEY_OFFSET, request.remoteKey());
    bytes.putInt(at + SendLayout.IMMEDIATE_OFFSET, request.immediate());
    bytes.put(at + SendLayout.OPERATION_OFFSET, code(request));
    bytes.put(at + SendLayout.FLAGS_OFFSET, flags(request));
    switch (request.operation()) {
      case FLUSH -> addFlush(at, request);
      case BIND_WINDOW -> addBind(at, request);
      case LOCAL_INVALIDATE, SEND_WITH_INVALIDATE ->
          bytes.putInt(at + SendLayout.KEY_OFFSET, request.windowKey());
      default -> {}
    }
    if (request.inlineData() != null) {
      bytes.putInt(at + SendLayout.COUNT_OFFSET, request.inlineLength());
      bytes.put(
          at + SendLayout.SIZE,
          request.inlineData(),
          request.inlineOffset(),
          request.inlineLength());
      end = at + SendLayout.sizeInline(request.inlineLength());
      return;
    }
    bytes.putInt(at + SendLayout.COUNT_OFFSET, request.bufferCount());
    end = at + SendLayout.SIZE;
    for (int i = 0; i < request.bufferCount(); i++) {
      BufferLayout.write(
          bytes, end, request.bufferAddress(i), request.bufferLength(i), request.bufferKey(i));
      end += BufferLayout.SIZE;
    }
  }

  private void addFlush(int at, SendRequest request) {
    bytes.putLong(at + SendLayout.OPERAND_OFFSET, request.flushLength());
    bytes.put(
        at + SendLayout.FLUSH_TYPE_OFFSET,
        (byte)
            (request.flushType() == FlushType.PERSISTENT
                ? SendLayout.FLUSH_PERSISTENT
                : SendLayout.FLUSH_GLOBAL));
    bytes.put(
        at + SendLayout.FLUSH_LEVEL_OFFSET,
        (byte)
            (request.flushLevel() == FlushLevel.REGION
                ? SendLayout.FLUSH_REGION
                : SendLayout.FLUSH_RANGE));
  }

  private void addBind(int at, SendRequest request) {
    RdmaMemoryWindow window = device.window(request.windowKey());
    RdmaMemoryRegion region = device.region(request.remoteKey());
    if (window == null || region == null) {
      // libibverbs takes objects, not keys: the device is given what fails in the bind's place.
      bytes.put(at + SendLayout.OPERATION_OFFSET, SendLayout.LOCAL_INVALIDATE);
      bytes.putInt(at + SendLayout.KEY_OFFSET, NO_KEY);
      return;
    }
    bytes.putLong(at + SendLayout.OPERAND_OFFSET, request.bindLength());
    bytes.putLong(at + SendLayout.SECOND_OPERAND_OFFSET, AccessCodes.of(request.bindAccess()));
    bytes.putInt(at + SendLayout.KEY_OFFSET, request.windowKey());
    bytes.putLong(at + SendLayout.WINDOW_OFFSET, window.handle());
    bytes.putLong(at + SendLayout.REGION_OFFSET, region.handle());
  }

  private static byte flags(SendRequest request) {
    int flags = request.isSignaled() ? SendLayout.SIGNALED : 0;
    flags |= request.isFenced() ? SendLayout.FENCED : 0;
    flags |= request.isSolicited() ? SendLayout.SOLICITED : 0;
    flags |= request.inlineData() != null ? SendLayout.INLINE : 0;
    return (byte) flags;
  }

  private static byte code(SendRequest request) {
    return switch (request.operation()) {
      case SEND -> SendLayout.SEND;
      case SEND_WITH_IMMEDIATE -> SendLayout.SEND_WITH_IMMEDIATE;
      case WRITE -> SendLayout.WRITE;
      case WRITE_WITH_IMMEDIATE -> SendLayout.WRITE_WITH_IMMEDIATE;
      case READ -> SendLayout.READ;
      case COMPARE_AND_SWAP -> SendLayout.COMPARE_AND_SWAP;
      case FETCH_AND_ADD -> SendLayout.FETCH_AND_ADD;
      case FLUSH -> SendLayout.FLUSH;
      case ATOMIC_WRITE -> SendLayout.ATOMIC_WRITE;
      case SEND_WITH_INVALIDATE -> SendLayout.SEND_WITH_INVALIDATE;
      case BIND_WINDOW -> SendLayout.BIND_WINDOW;
      case LOCAL_INVALIDATE -> SendLayout.LOCAL_INVALIDATE;
    };
  }
}
