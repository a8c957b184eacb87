// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import java.io.IOException;

/**
 * An answer that waits its turn on a tcp link: a frame, or the data of a READ. Device thread only.
 */
interface TcpAnswer {
  /**
   * Sends what there is room for; called under the writer's claim.
   *
   * @return whether it is out, whole
   */
  boolean send(FrameWriter writer) throws IOException;

  /** An ACK, RNR or NAK with its status. */
  static TcpAnswer of(int type, int queuePair, int request, int status) {
    return writer -> {
      if (!writer.hasRoom(0)) {
        return false;
      }
      int header = writer.begin(type, 0, queuePair, request, 0);
      writer.buffer().put(header + FrameLayout.STATUS_OFFSET, (byte) status);
      writer.end(0);
      return true;
    };
  }

  /** What an atomic found. */
  static TcpAnswer found(int queuePair, int request, long value) {
    return writer -> {
      if (!writer.hasRoom(Long.BYTES)) {
        return false;
      }
      int flags = FrameLayout.FIRST | FrameLayout.LAST;
      int header = writer.begin(FrameLayout.READ_DATA, flags, queuePair, request, Long.BYTES);
      writer.buffer().putLong(header + FrameLayout.HEADER_SIZE, value);
      writer.end(Long.BYTES);
      return true;
    };
  }

  /** Tells that the partner of {@code queuePair} broke. */
  static TcpAnswer broken(int queuePair) {
    return of(FrameLayout.BROKEN, queuePair, 0, 0);
  }
}
