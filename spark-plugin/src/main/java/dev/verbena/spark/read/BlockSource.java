// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import dev.verbena.spark.metrics.Carrier;
import dev.verbena.store.StoreException;
import java.io.InputStream;

/** A place from which blocks are read without {@code ShuffleBlockFetcherIterator}. */
interface BlockSource {
  /**
   * Opens a block.
   *
   * @throws StoreException if it can't be had from here
   */
  InputStream open(WantedBlock block);

  /** What blocks from here are counted as. */
  Carrier carrier();

  /** Whether a block that can't be opened here may be fetched in another way. */
  boolean mayFallBack();
}
