// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import dev.verbena.spark.metrics.Carrier;
import dev.verbena.store.BlockStore;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoredMapOutput;
import dev.verbena.store.serve.BlockRange;
import java.io.InputStream;

/** Blocks of the executor's own store. */
final class OwnBlocks implements BlockSource {
  private final String application;
  private final BlockStore store;

  OwnBlocks(String application, BlockStore store) {
    this.application = application;
    this.store = store;
  }

  @Override
  public InputStream open(WantedBlock block) {
    BlockRange range = block.range(application);
    try (StoredMapOutput output =
        store
            .find(range.output())
            .orElseThrow(
                () ->
                    new StoreException(
                        StoreException.Code.NOT_FOUND, "no " + range.output() + " in own store"))) {
      return output.open(range.first(), range.end());
    }
  }

  @Override
  public Carrier carrier() {
    return Carrier.OWN;
  }

  @Override
  public boolean mayFallBack() {
    return false;
  }
}
