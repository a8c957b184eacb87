// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.node;

import java.io.Serializable;

/** What executors say to the driver's directory of stores. */
sealed interface DirectoryMessage extends Serializable {
  /** A store is served; answered by {@code true}. */
  record Register(StoreAddress address) implements DirectoryMessage {}

  /** Where is an executor's store? Answered by {@link Found}. */
  record Find(String executor) implements DirectoryMessage {}

  /**
   * The answer.
   *
   * @param address null if no store of that executor is known
   */
  record Found(StoreAddress address) implements Serializable {}
}
