// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import java.io.IOException;
import java.nio.channels.SelectionKey;

/** What the device thread does for one channel. */
interface SelectionHandler {
  /**
   * The channel is ready.
   *
   * @throws IOException if the channel broke; {@link #failed} follows
   */
  void ready(SelectionKey key) throws IOException;

  /** The channel ended, by {@link #ready} failing or the device closing; closes it. */
  void failed(Exception cause);
}
