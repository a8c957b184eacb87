// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.crash.CrashImage;
import dev.verbena.store.index.BucketLayout;
import dev.verbena.store.index.DescriptorLayout;
import dev.verbena.store.index.IndexDescriptor;
import dev.verbena.store.index.IndexEntry;
import dev.verbena.store.index.IndexKey;
import dev.verbena.store.manifest.Manifest;
import dev.verbena.store.manifest.ManifestBytes;
import dev.verbena.store.manifest.Piece;
import dev.verbena.store.manifest.Segment;
import dev.verbena.store.pool.Location;
import dev.verbena.store.pool.PoolImage;
import dev.verbena.store.pool.PoolLayout;
import java.io.ByteArrayOutputStream;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Looks outputs up in the memory of a dead process, as peers do that mapped it. */
final class RemoteView {
  private static final Pattern NUMBER = Pattern.compile(".*-(\\d+)\\.pool");

  private final SortedMap<Integer, PoolImage> pools = new TreeMap<>();

  RemoteView(CrashImage image) {
    image
        .files()
        .forEach(
            (name, bytes) -> {
              Matcher number = NUMBER.matcher(name);
              assertThat(number.matches()).isTrue();
              pools.put(Integer.parseInt(number.group(1)), new PoolImage(bytes));
            });
  }

  /** The descriptor; empty if the process died while it changed it. */
  Optional<IndexDescriptor> descriptor() {
    PoolImage home = pools.get(pools.firstKey());
    return DescriptorLayout.decode(home.range(PoolLayout.ANNEX_AT, DescriptorLayout.BYTES));
  }

  /** What the index says of a key. */
  Optional<IndexEntry> find(IndexDescriptor descriptor, MapOutputKey key) {
    IndexKey wanted = IndexKey.of(key.application(), key.shuffle(), key.mapAttempt());
    long at =
        Location.offset(descriptor.table())
            + wanted.bucket(descriptor.buckets()) * BucketLayout.BYTES;
    byte[] window = pool(descriptor.table()).range(at, BucketLayout.WINDOW_BYTES);
    return BucketLayout.find(window, wanted) instanceof BucketLayout.Lookup.Found found
        ? Optional.of(found.entry())
        : Optional.empty();
  }

  /** A block, read through its manifest; every record on the way must stand. */
  byte[] block(IndexEntry entry, int partition) {
    Manifest manifest =
        Manifest.read(ManifestBytes.of(record(entry.manifest(), entry.publishWord())));
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    for (Piece piece : manifest.pieces(partition, partition + 1)) {
      Segment segment = manifest.segment(piece.segment());
      byte[] payload = record(segment.record(), segment.publishWord());
      block.write(payload, (int) piece.offset(), (int) piece.length());
    }
    return block.toByteArray();
  }

  /** Chunks that an output's records take up. */
  int chunks(IndexEntry entry) {
    byte[] bytes = record(entry.manifest(), entry.publishWord());
    Manifest manifest = Manifest.read(ManifestBytes.of(bytes));
    int chunks = PoolImage.chunksFor(bytes.length);
    for (int i = 0; i < manifest.segments(); i++) {
      chunks += PoolImage.chunksFor(manifest.segment(i).length());
    }
    return chunks;
  }

  /** The pools by number. */
  SortedMap<Integer, PoolImage> pools() {
    return pools;
  }

  private byte[] record(long location, long word) {
    PoolImage pool = pool(location);
    long offset = Location.offset(location);
    assertThat(pool.publishWordOf(offset)).as("publish word at " + offset).isEqualTo(word);
    Optional<byte[]> record = pool.recordAt(offset, word);
    assertThat(record).as("record at " + offset).isPresent();
    return record.orElseThrow();
  }

  private PoolImage pool(long location) {
    return pools.get(Location.pool(location));
  }
}
