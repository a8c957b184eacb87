// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.rpc.RegisteredBuffer;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreException;
import dev.verbena.store.index.BucketLayout;
import dev.verbena.store.index.BucketLayout.Lookup;
import dev.verbena.store.index.DescriptorLayout;
import dev.verbena.store.index.IndexDescriptor;
import dev.verbena.store.index.IndexEntry;
import dev.verbena.store.index.IndexKey;
import dev.verbena.store.manifest.Manifest;
import dev.verbena.store.manifest.ManifestBytes;
import dev.verbena.store.pool.RecordHeader;
import dev.verbena.store.pool.RecordLayout;
import dev.verbena.time.Deadline;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Looks outputs up in a peer's index by READs alone: descriptor, then the window of each key, then
 * the manifests, many keys to a doorbell. What was caught in a change is read again; that a key is
 * absent counts only if the descriptor is still the same afterwards.
 */
final class RemoteIndex {
  private static final int KEYS_A_BATCH = 128;
  private static final long MANIFEST_BYTES_A_BATCH = 1 << 20;
  private static final int ATTEMPTS = 64;

  private final Peer peer;
  private final FetchBuffers buffers;
  private final ManifestCache cache;
  private final Deadline deadline;
  private final Map<MapOutputKey, RemoteOutput> found = new HashMap<>();

  RemoteIndex(Peer peer, FetchBuffers buffers, ManifestCache cache, Deadline deadline) {
    this.peer = peer;
    this.buffers = buffers;
    this.cache = cache;
    this.deadline = deadline;
  }

  /**
   * The outputs of those keys that the peer has.
   *
   * @throws StoreException if the peer can't be read, or its index stays in motion
   */
  Map<MapOutputKey, RemoteOutput> locate(Collection<MapOutputKey> keys) {
    Set<MapOutputKey> open = new LinkedHashSet<>();
    for (MapOutputKey key : keys) {
      Optional<RemoteOutput> cached = cache.get(peer, key);
      cached.ifPresentOrElse(output -> found.put(key, output), () -> open.add(key));
    }
    for (int attempt = 0; !open.isEmpty(); attempt++) {
      if (attempt == ATTEMPTS) {
        throw new StoreException(
            StoreException.Code.CORRUPT, peer + ": its index is in motion or damaged");
      }
      IndexDescriptor before = readDescriptor();
      boolean torn = readOnce(before, open);
      open.removeAll(found.keySet());
      if (!open.isEmpty() && !torn && before.equals(readDescriptor())) {
        break;
      }
    }
    return found;
  }

  private IndexDescriptor readDescriptor() {
    for (int i = 0; i < ATTEMPTS; i++) {
      Optional<IndexDescriptor> descriptor =
          DescriptorLayout.decode(read(peer.indexDescriptor(), DescriptorLayout.BYTES));
      if (descriptor.isPresent()) {
        return descriptor.get();
      }
    }
    throw new StoreException(
        StoreException.Code.CORRUPT, peer + ": its index has no descriptor that can be read");
  }

  /** Looks once for each key; true if something was caught in a change. */
  private boolean readOnce(IndexDescriptor descriptor, Set<MapOutputKey> keys) {
    Map<MapOutputKey, IndexEntry> entries = new LinkedHashMap<>();
    boolean torn = false;
    List<MapOutputKey> group = new ArrayList<>(KEYS_A_BATCH);
    for (MapOutputKey key : keys) {
      group.add(key);
      if (group.size() == KEYS_A_BATCH) {
        torn |= readWindows(descriptor, group, entries);
        group.clear();
      }
    }
    if (!group.isEmpty()) {
      torn |= readWindows(descriptor, group, entries);
    }
    boolean changed = readManifests(entries);
    return torn || changed;
  }

  private boolean readWindows(
      IndexDescriptor descriptor, List<MapOutputKey> keys, Map<MapOutputKey, IndexEntry> entries) {
    int bytes = BucketLayout.WINDOW_BYTES;
    boolean torn = false;
    try (RegisteredBuffer buffer = acquire((long) keys.size() * bytes)) {
      PeerReads reads = new PeerReads(peer, keys.size(), deadline);
      List<IndexKey> indexKeys = new ArrayList<>(keys.size());
      for (MapOutputKey key : keys) {
        IndexKey indexKey = IndexKey.of(key.application(), key.shuffle(), key.mapAttempt());
        long bucket = indexKey.bucket(descriptor.buckets());
        reads.add(
            buffer,
            (long) indexKeys.size() * bytes,
            descriptor.table() + bucket * BucketLayout.BYTES,
            bytes);
        indexKeys.add(indexKey);
      }
      reads.run();
      byte[] window = new byte[bytes];
      for (int i = 0; i < keys.size(); i++) {
        buffer.memory().get(buffer.offset() + (long) i * bytes, window, 0, bytes);
        Lookup lookup = BucketLayout.find(window, indexKeys.get(i));
        if (lookup instanceof Lookup.Found hit) {
          entries.put(keys.get(i), hit.entry());
        }
        torn |= lookup instanceof Lookup.Torn;
      }
    }
    return torn;
  }

  private boolean readManifests(Map<MapOutputKey, IndexEntry> entries) {
    boolean torn = false;
    Map<MapOutputKey, IndexEntry> group = new LinkedHashMap<>();
    long bytes = 0;
    for (Map.Entry<MapOutputKey, IndexEntry> entry : entries.entrySet()) {
      long length = recordBytes(entry.getValue());
      if (!group.isEmpty() && bytes + length > MANIFEST_BYTES_A_BATCH) {
        torn |= readManifestGroup(group, bytes);
        group.clear();
        bytes = 0;
      }
      group.put(entry.getKey(), entry.getValue());
      bytes += length;
    }
    if (!group.isEmpty()) {
      torn |= readManifestGroup(group, bytes);
    }
    return torn;
  }

  private boolean readManifestGroup(Map<MapOutputKey, IndexEntry> group, long bytes) {
    boolean torn = false;
    try (RegisteredBuffer buffer = acquire(bytes)) {
      PeerReads reads = new PeerReads(peer, group.size(), deadline);
      long at = 0;
      for (IndexEntry entry : group.values()) {
        reads.add(buffer, at, entry.manifest(), recordBytes(entry));
        at += recordBytes(entry);
      }
      reads.run();
      at = 0;
      for (Map.Entry<MapOutputKey, IndexEntry> one : group.entrySet()) {
        byte[] record = new byte[(int) recordBytes(one.getValue())];
        buffer.memory().get(buffer.offset() + at, record, 0, record.length);
        at += record.length;
        torn |= !take(one.getKey(), one.getValue(), record);
      }
    }
    return torn;
  }

  /** Takes a manifest over if it is the one that the entry meant, whole. */
  private boolean take(MapOutputKey key, IndexEntry entry, byte[] record) {
    byte[] payload = RecordHeader.intactPayload(record, entry.publishWord()).orElse(null);
    if (payload == null) {
      return false;
    }
    Manifest manifest = Manifest.read(ManifestBytes.of(payload));
    if (!manifest.application().equals(key.application())) {
      throw new StoreException(
          StoreException.Code.CORRUPT,
          peer
              + ": the hash of application "
              + key.application()
              + " is also that of "
              + manifest.application());
    }
    RemoteOutput output = new RemoteOutput(key, manifest);
    found.put(key, output);
    cache.put(peer, output);
    return true;
  }

  private long recordBytes(IndexEntry entry) {
    if (entry.manifestBytes() < 0) {
      throw new StoreException(
          StoreException.Code.CORRUPT,
          peer + ": a manifest of " + entry.manifestBytes() + " bytes in its index");
    }
    return RecordLayout.HEADER_BYTES + (long) entry.manifestBytes();
  }

  private byte[] read(long location, int bytes) {
    try (RegisteredBuffer buffer = acquire(bytes)) {
      PeerReads reads = new PeerReads(peer, 1, deadline);
      reads.add(buffer, 0, location, bytes);
      reads.run();
      byte[] copy = new byte[bytes];
      buffer.memory().get(buffer.offset(), copy, 0, bytes);
      return copy;
    }
  }

  private RegisteredBuffer acquire(long bytes) {
    return buffers.scratch(peer.endpoint(), bytes, deadline);
  }
}
