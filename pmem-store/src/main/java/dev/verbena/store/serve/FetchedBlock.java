// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The bytes of a fetched range, in registered buffers that are pooled and counted: it starts with
 * one reference, and the buffers go back when {@link #release} took the last one. Thread-safe;
 * after the last release every other method throws {@link IllegalStateException}.
 */
public interface FetchedBlock {
  /** What it is. */
  BlockRange range();

  /** Bytes. */
  long length();

  /** The carrier that brought it: "own", "mapped", "shm" or "tcp". */
  String carrier();

  /** The bytes as read-only buffers, in order; valid while a reference is held. */
  List<ByteBuffer> buffers();

  /**
   * The bytes as a stream, which takes no reference: who gives the last one back ends it, closed or
   * not, and it throws {@link IllegalStateException} from then on.
   */
  InputStream open();

  /** Takes one more reference. */
  FetchedBlock retain();

  /** Gives one reference back. */
  void release();
}
