// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreException;
import dev.verbena.store.manifest.Manifest;
import dev.verbena.store.manifest.ManifestBytes;
import dev.verbena.store.manifest.ManifestLayout;
import dev.verbena.store.manifest.Segment;
import dev.verbena.store.pool.Location;
import dev.verbena.store.pool.NumberedPool;
import dev.verbena.store.pool.Placement;
import dev.verbena.store.pool.RecordHeader;
import dev.verbena.store.pool.RecordLayout;
import dev.verbena.store.pool.RecoveredRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts the map outputs together again from the records that were found in the pools: a manifest
 * whose segments are all there is an output, an entry of a log stands for itself, every other
 * record was never committed and is ended.
 */
final class StoreRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(StoreRecovery.class);

  private record Found(Placement place, RecoveredRecord record) {}

  private final Map<Long, Found> byLocation = new HashMap<>();

  private final ApplicationSpaces spaces;
  private final StoreLogs logs;

  StoreRecovery(List<NumberedPool> pools, ApplicationSpaces spaces, StoreLogs logs) {
    this.spaces = spaces;
    this.logs = logs;
    for (NumberedPool numbered : pools) {
      for (RecoveredRecord record : numbered.pool().recovered()) {
        Placement place = new Placement(numbered.number(), record.extent());
        byLocation.put(place.recordLocation(), new Found(place, record));
      }
    }
  }

  /** The outputs, those committed first before others; every record outside of them is ended. */
  List<CommittedOutput> run() {
    List<Found> manifests = new ArrayList<>();
    Set<Long> kept = new HashSet<>();
    for (Found found : byLocation.values()) {
      int kind = found.record().header().id().kind();
      if (kind == ManifestLayout.RECORD_KIND) {
        manifests.add(found);
      } else if (kind == StoreLogs.RECORD_KIND) {
        logs.addFound(found.place().poolNumber(), found.record());
        kept.add(found.place().recordLocation());
      }
    }
    manifests.sort(Comparator.comparingLong(found -> found.record().header().sequence()));
    List<CommittedOutput> outputs = new ArrayList<>();
    for (Found found : manifests) {
      try {
        CommittedOutput output = outputOf(found);
        outputs.add(output);
        kept.add(found.place().recordLocation());
        for (int i = 0; i < output.manifest().segments(); i++) {
          kept.add(output.manifest().segment(i).record());
        }
      } catch (StoreException e) {
        LOG.warn("map output dropped: {}", e.getMessage());
      }
    }
    endAllBut(kept);
    return outputs;
  }

  private CommittedOutput outputOf(Found found) {
    RecordHeader header = found.record().header();
    Manifest manifest = manifestAt(found.place(), header.payloadBytes());
    List<Placement> segments = new ArrayList<>();
    for (int i = 0; i < manifest.segments(); i++) {
      Segment segment = manifest.segment(i);
      Found record = byLocation.get(segment.record());
      if (record == null || record.record().publishWord() != segment.publishWord()) {
        throw new StoreException(
            StoreException.Code.CORRUPT,
            "segment "
                + i
                + " of "
                + header.id()
                + " is missing in pool "
                + Location.pool(segment.record())
                + " at "
                + Location.offset(segment.record()));
      }
      segments.add(record.place());
    }
    MapOutputKey key =
        new MapOutputKey(manifest.application(), header.id().shuffle(), header.id().mapAttempt());
    SpaceCharge charge = new SpaceCharge(spaces, key.application());
    charge.takeFound(RecordLayout.spaceFor(header.payloadBytes()));
    for (int i = 0; i < manifest.segments(); i++) {
      charge.takeFound(RecordLayout.spaceFor(manifest.segment(i).length()));
    }
    return new CommittedOutput(
        key, manifest, found.place(), found.record().publishWord(), segments, charge);
  }

  static Manifest manifestAt(Placement place, long length) {
    return Manifest.read(
        ManifestBytes.in(place.extent().pool(), place.extent().payloadOffset(), length));
  }

  private void endAllBut(Set<Long> kept) {
    // Manifests first: a crash in between must not leave one without its segments.
    byLocation.values().stream()
        .filter(found -> !kept.contains(found.place().recordLocation()))
        .sorted(Comparator.comparing(found -> -found.record().header().id().kind()))
        .forEach(
            found -> {
              found.place().extent().retract();
              found.place().extent().discard();
            });
  }
}
