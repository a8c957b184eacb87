// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.RemoteMapping;
import java.util.Optional;

/**
 * What a queue pair is joined to, by carrier: runs its send queue and knows whether the peer still
 * touches its receive side.
 */
interface Connection {
  /** The carrier's name in reports. */
  String carrier();

  /** Runs what can run. Called under the queue pair's run claim. */
  Progress run();

  /** Under the run claim: a step of the engine threw; withdraws what it left announced. */
  void letGo();

  /** Whether a request was posted that {@link #run} has not begun with; asked without a claim. */
  boolean hasMore();

  /** Whether no request is under way; asked under the run claim while none may begin. */
  boolean isDrained();

  /** Tells the peer that this end broke or disconnects. */
  void tellBroken();

  /**
   * Whether nobody but this process touches the queue pair's receive queue and lane any more; asked
   * after its state was set to broken.
   */
  boolean isQuiet();

  /** See {@link dev.verbena.verbs.QueuePair#mapRemote}. */
  Optional<RemoteMapping> mapRemote(long address, long length, int key);

  /** Device thread: does what the peer can't do itself on this end's memory. */
  void serveErrand();

  /** Waits until every reader of a mapping has let go of the peer's memory once. */
  void quiesceReaders();

  /** On the device thread: lets go of what the thread would come back to. */
  void leaveDeviceThread();

  /** Frees what belongs to this connection alone; the queue pair is broken and quiet. */
  void close();
}
