// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.store.StoreException;

/**
 * Hears of each range exactly once, in any order, from the fetching thread itself or from a thread
 * of the client; it must not block.
 */
public interface FetchListener {
  /** The range is here; the listener owns the reference and must release it. */
  void onBlock(FetchedBlock block);

  /** The range could not be had; the exception's code and cause say why. */
  void onFailure(BlockRange range, StoreException failure);
}
