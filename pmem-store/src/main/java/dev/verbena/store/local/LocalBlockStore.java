// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import dev.verbena.store.BlockStore;
import dev.verbena.store.MapOutputCommit;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.StoreUsage;
import dev.verbena.store.StoredMapOutput;
import dev.verbena.store.index.IndexKey;
import dev.verbena.store.index.IndexTable;
import dev.verbena.store.manifest.Manifest;
import dev.verbena.store.manifest.ManifestLayout;
import dev.verbena.store.pool.Each;
import dev.verbena.store.pool.Extent;
import dev.verbena.store.pool.NumberedPool;
import dev.verbena.store.pool.Placement;
import dev.verbena.store.pool.PoolSet;
import dev.verbena.store.pool.RecordId;
import dev.verbena.store.pool.RecordLayout;
import dev.verbena.time.Deadline;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A block store in pools that this process owns. See {@link BlockStore}. */
public final class LocalBlockStore implements BlockStore {
  private static final Logger LOG = LoggerFactory.getLogger(LocalBlockStore.class);
  static final int KEY_LOCKS = 64;

  private final StoreOptions options;
  private final PoolSet pools;
  private final IndexTable index;
  private final OutputTable outputs = new OutputTable();
  private final UseCount uses = new UseCount();
  private final ApplicationSpaces spaces;
  private final StoreLogs logs = new StoreLogs(this);

  /**
   * One for a share of the keys, held from looking for an output to showing another, and from
   * hiding one until its manifest has ended: of two manifests under one key recovery could not tell
   * which was first, as sequences are a pool's own. Taken before {@link #shown}.
   */
  private final Object[] changing = Stream.generate(Object::new).limit(KEY_LOCKS).toArray();

  /** Guards that table and index show the same outputs. */
  private final Object shown = new Object();

  private LocalBlockStore(StoreOptions options, PoolSet pools) {
    this.options = options;
    this.pools = pools;
    this.spaces = new ApplicationSpaces(options.applicationQuota());
    StoreRecovery recovery = new StoreRecovery(pools.pools(), spaces, logs);
    List<CommittedOutput> recovered = recovery.run();
    this.index = new IndexTable(pools);
    for (CommittedOutput output : recovered) {
      Optional<CommittedOutput> there = findShown(output.key());
      if (there.isPresent()) {
        there.get().unpin();
        output.end(); // No store publishes two under one key.
        output.remove();
      } else {
        show(output);
      }
    }
  }

  /**
   * Opens a store: sweeps what dead owners left beside its pools, opens those of its own that were
   * kept, recovers their map outputs, or makes the first pool.
   *
   * @throws StoreException POOL_OWNED, POOL_INVALID, DURABILITY_UNAVAILABLE, POOL_FULL or IO
   */
  public static LocalBlockStore open(StoreOptions options) {
    PoolSet pools = new PoolSet(options.tiers());
    boolean opened = false;
    try {
      LocalBlockStore store = new LocalBlockStore(options, pools);
      opened = true;
      return store;
    } finally {
      if (!opened) {
        pools.close();
      }
    }
  }

  @Override
  public MapOutputWriter openMapOutput(MapOutputKey key, int partitions) {
    if (partitions < 1) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          key + ": " + partitions + " partitions, expected at least 1");
    }
    uses.enter();
    return new LocalMapOutputWriter(this, key, partitions);
  }

  @Override
  public Optional<StoredMapOutput> find(MapOutputKey key) {
    uses.enter();
    Optional<CommittedOutput> output = outputs.findPinned(key);
    if (output.isEmpty()) {
      uses.exit();
    }
    return output.map(found -> new PinnedMapOutput(this, found));
  }

  @Override
  public List<MapOutputKey> mapOutputs(String application) {
    uses.enter();
    try {
      return outputs.keys(application);
    } finally {
      uses.exit();
    }
  }

  @Override
  public boolean removeMapOutput(MapOutputKey key) {
    return remove(() -> outputs.ofKey(key)) > 0;
  }

  @Override
  public int removeShuffle(String application, int shuffle) {
    return remove(() -> outputs.ofShuffle(application, shuffle));
  }

  @Override
  public int removeApplication(String application) {
    AtomicInteger ended = new AtomicInteger();
    Each.of(
        List.<Runnable>of(
            () -> logs.removeApplication(application),
            () -> ended.set(remove(() -> outputs.ofApplication(application)))),
        Runnable::run);
    return ended.get();
  }

  /**
   * Removes all map outputs, whosever they are: for an owner of kept pools who begins anew.
   *
   * @return how many there were
   */
  public int removeMapOutputs() {
    return remove(outputs::all);
  }

  @Override
  public long usedBy(String application) {
    return spaces.used(application);
  }

  @Override
  public StoreUsage usage() {
    return new StoreUsage(
        pools.pools().stream().map(numbered -> numbered.pool().usage()).toList(),
        outputs.count(),
        outputs.blockBytes(),
        pools.overflowed());
  }

  /** Nanoseconds that its pools spent in making ranges durable, in all threads. */
  public long persistNanos() {
    return pools.pools().stream().mapToLong(numbered -> numbered.pool().persistNanos()).sum();
  }

  /** The applications that have map outputs, sorted. */
  public List<String> applications() {
    return outputs.applications();
  }

  /** The logs, whose entries {@link #removeApplication} removes too. */
  public StoreLogs logs() {
    return logs;
  }

  /** Space that others write. */
  public GrantedSpace grantedSpace() {
    return new GrantedSpace(this);
  }

  /** The pools now, for serving them; more may be added later. */
  public List<NumberedPool> numberedPools() {
    return pools.pools();
  }

  /** Location of the index descriptor, for serving it. */
  public long indexDescriptor() {
    return index.descriptorLocation();
  }

  /**
   * Says that somebody who can't be stopped may still touch the pools: closing will leave their
   * mappings in place.
   */
  public void quarantine() {
    uses.enter();
  }

  /** A charge to an application, for one output. */
  SpaceCharge charge(String application) {
    return new SpaceCharge(spaces, application);
  }

  /** A charge to an application of which a record tells the hash. */
  SpaceCharge chargeFound(long applicationHash) {
    return new SpaceCharge(spaces, applicationHash, "of hash " + Long.toHexString(applicationHash));
  }

  PoolSet pools() {
    return pools;
  }

  UseCount uses() {
    return uses;
  }

  boolean verifiesReads() {
    return options.verifyReads();
  }

  /**
   * Publishes the manifest and shows the output, unless one of its key is there. Takes over the
   * segments and their charge, unless it throws.
   */
  MapOutputCommit commit(
      MapOutputKey key, byte[] manifestBytes, List<Placement> segments, SpaceCharge charge) {
    synchronized (lockOf(key)) {
      Optional<CommittedOutput> there = findShown(key);
      if (there.isPresent()) {
        return discard(segments, charge, there.get());
      }
      long space = RecordLayout.spaceFor(manifestBytes.length);
      charge.take(space);
      boolean done = false;
      try {
        CommittedOutput output = publish(key, manifestBytes, segments, charge);
        MapOutputCommit commit = showOrWithdraw(output);
        done = true;
        return commit;
      } finally {
        if (!done) {
          charge.giveBack(space);
        }
      }
    }
  }

  private MapOutputCommit showOrWithdraw(CommittedOutput output) {
    boolean done = false;
    try {
      MapOutputCommit commit = new MapOutputCommit(true, output.manifest().partitionLengths());
      show(output);
      done = true;
      return commit;
    } finally {
      if (!done) {
        output.withdraw();
      }
    }
  }

  /** Ends what was written for nothing; lets the one that was first go. */
  private static MapOutputCommit discard(
      List<Placement> segments, SpaceCharge charge, CommittedOutput first) {
    try {
      Each.of(segments, LocalBlockStore::end);
      charge.close();
      return new MapOutputCommit(false, first.manifest().partitionLengths());
    } finally {
      first.unpin();
    }
  }

  /**
   * Ends a record that no output shows, and gives its space back; nothing if that was done, so that
   * it can be called again for all of a list after it failed for one.
   */
  static void end(Placement segment) {
    if (!segment.extent().isReleased()) {
      segment.extent().retract();
      segment.extent().discard();
    }
  }

  private CommittedOutput publish(
      MapOutputKey key, byte[] manifestBytes, List<Placement> segments, SpaceCharge charge) {
    Placement place = pools.reserve(manifestBytes.length, manifestBytes.length);
    Extent extent = place.extent();
    extent.pool().write(extent.payloadOffset(), manifestBytes, 0, manifestBytes.length);
    CRC32C crc = new CRC32C();
    crc.update(manifestBytes, 0, manifestBytes.length);
    RecordId id =
        new RecordId(
            ManifestLayout.RECORD_KIND,
            IndexKey.hashOf(key.application()),
            key.shuffle(),
            key.mapAttempt());
    long word = extent.pool().publish(extent, id, manifestBytes.length, (int) crc.getValue());
    Manifest manifest = StoreRecovery.manifestAt(place, manifestBytes.length);
    return new CommittedOutput(key, manifest, place, word, segments, charge);
  }

  private Optional<CommittedOutput> findShown(MapOutputKey key) {
    synchronized (shown) {
      return outputs.findPinned(key);
    }
  }

  private void show(CommittedOutput output) {
    synchronized (shown) {
      index.put(output.indexEntry());
      outputs.put(output);
    }
  }

  private int remove(Supplier<List<CommittedOutput>> named) {
    uses.enter();
    try {
      AtomicInteger ended = new AtomicInteger();
      Each.of(
          named.get(),
          output -> {
            if (hideAndEnd(output)) {
              ended.incrementAndGet();
            }
          });
      return ended.get();
    } finally {
      uses.exit();
    }
  }

  /**
   * Hides an output, then ends its manifest and its segments, each whatever became of those before:
   * they may be in other pools. False if somebody else did.
   */
  private boolean hideAndEnd(CommittedOutput output) {
    boolean hidden = false;
    try {
      synchronized (lockOf(output.key())) {
        try {
          synchronized (shown) {
            hidden = outputs.remove(output);
            if (hidden) {
              index.remove(output.indexEntry().key());
            }
          }
        } finally {
          if (hidden) {
            output.end(); // It may take the disk's time, for which only commits of this key wait.
          }
        }
      }
    } finally {
      if (hidden) {
        output.remove();
      }
    }
    return hidden;
  }

  private Object lockOf(MapOutputKey key) {
    return changing[Math.floorMod(key.hashCode(), changing.length)];
  }

  @Override
  public void close() {
    if (!uses.close()) {
      return;
    }
    long left = uses.awaitIdle(Deadline.after(options.closeDeadline()));
    if (left > 0) {
      LOG.warn("{} readers or writers still hold {}: its mappings stay", left, options.tiers());
      pools.abandon();
    } else {
      pools.close();
    }
  }
}
