// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What one end of a fault test lets the other work on.
 *
 * @param main a range of a segment
 * @param foreign a direct buffer that no peer can map
 * @param persistent a range that only its owner can persist
 * @param windows keys of windows on the first range
 */
record FaultOffer(Range main, Range foreign, Range persistent, List<Integer> windows) {
  /** A range by its first byte and key. */
  record Range(long address, int key) {
    private void writeTo(ByteBuffer bytes) {
      bytes.putLong(address).putInt(key);
    }

    private static Range readFrom(ByteBuffer bytes) {
      return new Range(bytes.getLong(), bytes.getInt());
    }
  }

  byte[] encode() {
    ByteBuffer bytes = ByteBuffer.allocate(3 * 12 + windows.size() * Integer.BYTES);
    main.writeTo(bytes);
    foreign.writeTo(bytes);
    persistent.writeTo(bytes);
    windows.forEach(bytes::putInt);
    return bytes.array();
  }

  static FaultOffer decode(byte[] data) {
    ByteBuffer bytes = ByteBuffer.wrap(data);
    Range main = Range.readFrom(bytes);
    Range foreign = Range.readFrom(bytes);
    Range persistent = Range.readFrom(bytes);
    List<Integer> windows = new ArrayList<>();
    while (bytes.hasRemaining()) {
      windows.add(bytes.getInt());
    }
    return new FaultOffer(main, foreign, persistent, windows);
  }
}
