// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A listener whose exceptions end with it: what it throws of one range keeps no other from it. */
final class IsolatedListener implements FetchListener {
  private static final Logger LOG = LoggerFactory.getLogger(IsolatedListener.class);

  private final FetchListener listener;

  IsolatedListener(FetchListener listener) {
    this.listener = listener;
  }

  @Override
  public void onBlock(FetchedBlock block) {
    BlockRange range = block.range();
    try {
      listener.onBlock(block);
    } catch (Exception e) { // also checked ones: a listener in Scala declares none
      keepInterrupt(e);
      LOG.error("The listener threw, told that {} is here", range, e);
    }
  }

  @Override
  public void onFailure(BlockRange range, StoreException failure) {
    try {
      listener.onFailure(range, failure);
    } catch (Exception e) { // as above
      keepInterrupt(e);
      e.addSuppressed(failure);
      LOG.error("The listener threw, told that {} can't be had", range, e);
    }
  }

  private static void keepInterrupt(Exception thrown) {
    if (thrown instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
  }
}
