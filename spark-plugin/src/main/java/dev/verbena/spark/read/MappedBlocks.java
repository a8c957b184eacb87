// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import dev.verbena.spark.metrics.Carrier;
import dev.verbena.store.StoreException;
import dev.verbena.store.serve.BlockClient;
import dev.verbena.store.serve.StoreEndpoint;
import java.io.InputStream;

/** Blocks of another store on this host, loaded from its mapped memory. */
final class MappedBlocks implements BlockSource {
  private final String application;
  private final BlockClient client;
  private final StoreEndpoint peer;

  MappedBlocks(String application, BlockClient client, StoreEndpoint peer) {
    this.application = application;
    this.client = client;
    this.peer = peer;
  }

  @Override
  public InputStream open(WantedBlock block) {
    return client
        .openMapped(peer, block.range(application))
        .orElseThrow(
            () ->
                new StoreException(
                    StoreException.Code.DISCONNECTED, peer.name() + " can't be mapped any more"));
  }

  @Override
  public Carrier carrier() {
    return Carrier.MAPPED;
  }

  @Override
  public boolean mayFallBack() {
    return true;
  }
}
