// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.rpc.RpcCall;
import dev.verbena.rpc.RpcMethods;
import dev.verbena.store.BlockStore;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreException;

/** Removes map outputs of the one application that a server serves, when that application asks. */
final class Removals {
  private final BlockStore store;
  private final String application;

  /** Refuses each call if {@code application} is empty. */
  Removals(BlockStore store, String application) {
    this.store = store;
    this.application = application;
  }

  void addTo(RpcMethods methods) {
    methods.add(RemovalLayout.METHOD, this::remove);
  }

  private void remove(RpcCall call) {
    if (application.isEmpty()) {
      call.fail(RemovalLayout.FAILURE_SHARED, "only the owner of this store removes what is in it");
      return;
    }
    int removed;
    try {
      RemovalLayout.Request request = RemovalLayout.request(call.request());
      removed =
          request.scope() == RemovalLayout.SHUFFLE
              ? store.removeShuffle(application, request.shuffle())
              : removeOne(request);
    } catch (StoreException e) {
      call.fail(RemovalLayout.FAILURE, e.getMessage());
      return;
    }
    call.reply(RemovalLayout.response(removed));
  }

  private int removeOne(RemovalLayout.Request request) {
    MapOutputKey key = new MapOutputKey(application, request.shuffle(), request.mapAttempt());
    return store.removeMapOutput(key) ? 1 : 0;
  }
}
