// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.store.MapOutputKey;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Manifests of peers' outputs, the least recently used dropped first. Thread-safe. */
final class ManifestCache {
  private record Slot(Peer peer, MapOutputKey key) {}

  private final long maxBytes;
  private final Map<Slot, RemoteOutput> slots = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  ManifestCache(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  synchronized Optional<RemoteOutput> get(Peer peer, MapOutputKey key) {
    return Optional.ofNullable(slots.get(new Slot(peer, key)));
  }

  synchronized void put(Peer peer, RemoteOutput output) {
    RemoteOutput before = slots.put(new Slot(peer, output.key()), output);
    bytes += output.manifest().length() - (before == null ? 0 : before.manifest().length());
    var eldest = slots.values().iterator();
    while (bytes > maxBytes && eldest.hasNext()) {
      bytes -= eldest.next().manifest().length();
      eldest.remove();
    }
  }

  synchronized void remove(Peer peer, MapOutputKey key) {
    RemoteOutput before = slots.remove(new Slot(peer, key));
    bytes -= before == null ? 0 : before.manifest().length();
  }

  synchronized void removeAll(Peer peer) {
    slots
        .entrySet()
        .removeIf(
            entry -> {
              boolean gone = entry.getKey().peer() == peer;
              bytes -= gone ? entry.getValue().manifest().length() : 0;
              return gone;
            });
  }

  synchronized long bytes() {
    return bytes;
  }
}
