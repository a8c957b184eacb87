// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

/**
 * A window of type 2B: ibv_alloc_mw(3). A bind opens part of a region through it, for the peer of
 * the one queue pair that the bind was posted to, until the key is invalidated: by that queue
 * pair's LOCAL_INVALIDATE, by its peer's SEND_WITH_INVALIDATE, or by {@link #close}. Thread-safe.
 */
public interface MemoryWindow extends AutoCloseable {
  /** The key that the next bind gives to the window, or the last one gave. */
  int remoteKey();

  /** Draws the key for the next bind and returns it: ibv_inc_rkey(3). A key serves one bind. */
  int renewKey();

  /**
   * Deallocates: ibv_dealloc_mw(3). When it returns, no operation of the peer goes through the
   * window any more; it is the only way to end one that is bound on a broken queue pair.
   *
   * @throws VerbsException TIMED_OUT if a peer is stopped in the middle of an access; the memory
   *     must then not be reused until that peer resumes or dies, which closing again waits for
   */
  @Override
  void close();
}
