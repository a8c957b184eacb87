// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.store.StoreException;
import dev.verbena.testing.Await;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A listener that copies what it hears of and gives the buffers back. */
final class Collected implements FetchListener {
  final Map<BlockRange, byte[]> blocks = new ConcurrentHashMap<>();
  final Map<BlockRange, StoreException> failures = new ConcurrentHashMap<>();
  final Map<BlockRange, String> carriers = new ConcurrentHashMap<>();

  @Override
  public void onBlock(FetchedBlock block) {
    try (InputStream in = block.open()) {
      carriers.put(block.range(), block.carrier());
      blocks.put(block.range(), in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      block.release();
    }
  }

  @Override
  public void onFailure(BlockRange range, StoreException failure) {
    failures.put(range, failure);
  }

  Collected await(int ranges) {
    Await.until("all ranges", () -> blocks.size() + failures.size() >= ranges);
    return this;
  }
}
