// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

import java.nio.ByteBuffer;

/**
 * A range of a peer's memory on the same host, mapped here. Each copy announces itself to the owner
 * and re-checks the key, so the owner can take the range back at any time without the reader seeing
 * foreign bytes. One thread at a time.
 */
public interface RemoteMapping {
  /** Bytes that can be read. */
  long length();

  /**
   * Copies {@code length} bytes from {@code offset} to an absolute index of {@code target}.
   *
   * @throws VerbsException DISCONNECTED if the connection ended, REJECTED if the key was revoked;
   *     the target's contents are then undefined
   */
  void read(long offset, ByteBuffer target, int targetIndex, int length);
}
