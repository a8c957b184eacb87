// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceCapability;
import dev.verbena.verbs.SendRequest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Describes the request that stores a qword at a peer; chosen once, by what the device has. */
interface WordPublisher {
  /**
   * Begins the request.
   *
   * @param slot number of the request within its doorbell
   */
  void describe(SendRequest request, int slot, long id, long address, int key, long value);

  /** Bytes of inline data that its queue pair needs. */
  int inlineBytes();

  /**
   * The best that the device has.
   *
   * @param slots requests of a doorbell
   */
  static WordPublisher of(Device device, int slots) {
    return device.attributes().has(DeviceCapability.ATOMIC_WRITE)
        ? new AtomicWrite()
        : new InlineWrite(slots);
  }

  /** ATOMIC_WRITE. */
  final class AtomicWrite implements WordPublisher {
    @Override
    public void describe(
        SendRequest request, int slot, long id, long address, int key, long value) {
      request.atomicWrite(id, address, key, value);
    }

    @Override
    public int inlineBytes() {
      return 0;
    }
  }

  /**
   * A WRITE of 8 bytes that begins after every FLUSH and READ before it. Devices place an aligned
   * qword whole, though no specification says so.
   */
  final class InlineWrite implements WordPublisher {
    private final ByteBuffer words;

    InlineWrite(int slots) {
      words = ByteBuffer.allocate(slots * Long.BYTES).order(ByteOrder.nativeOrder());
    }

    @Override
    public void describe(
        SendRequest request, int slot, long id, long address, int key, long value) {
      words.putLong(slot * Long.BYTES, value);
      request.write(id, address, key).inline(words, slot * Long.BYTES, Long.BYTES).fenced();
    }

    @Override
    public int inlineBytes() {
      return Long.BYTES;
    }
  }
}
