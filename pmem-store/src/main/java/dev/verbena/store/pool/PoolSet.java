// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

import dev.verbena.store.StoreException;
import dev.verbena.store.TierOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pools of a store, tier by tier. Space is taken from the first tier that has or can make some;
 * leaving the first tier is said once. Thread-safe.
 */
public final class PoolSet implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PoolSet.class);

  /** Runs shorter than this are taken only when nothing longer is left anywhere. */
  private static final long SHORTEST_RUN = 64 << 10;

  private record Member(PoolTier tier, NumberedPool numbered) {}

  private final List<PoolTier> tiers = new ArrayList<>();
  private final List<Member> members = new CopyOnWriteArrayList<>();
  private final Object growing = new Object();
  private int nextNumber;
  private volatile boolean overflowed;

  /**
   * Sweeps, opens what was kept, and makes the first pool.
   *
   * @throws StoreException as {@link Pool#open}, or POOL_FULL if no pool can be made
   */
  public PoolSet(List<TierOptions> options) {
    boolean done = false;
    try {
      for (TierOptions one : options) {
        PoolTier tier = new PoolTier(one);
        tiers.add(tier);
        tier.openKept().forEach((number, pool) -> enter(tier, number, pool));
      }
      requireDistinctNumbers();
      if (members.isEmpty()) {
        reserveFrom(tiers.get(0), 0, 0)
            .or(() -> overflow(0, 0))
            .orElseThrow(() -> full(0))
            .extent()
            .discard();
      }
      done = true;
    } finally {
      if (!done) {
        close();
      }
    }
  }

  private void enter(PoolTier tier, int number, Pool pool) {
    members.add(new Member(tier, new NumberedPool(number, pool)));
    nextNumber = Math.max(nextNumber, number + 1);
  }

  /** A device may come from another store. */
  private void requireDistinctNumbers() {
    Map<Integer, Pool> seen = new HashMap<>();
    for (NumberedPool one : pools()) {
      Pool other = seen.put(one.number(), one.pool());
      if (other != null) {
        throw new StoreException(
            StoreException.Code.POOL_INVALID,
            "pool "
                + one.pool().path()
                + ": number is "
                + one.number()
                + ", expected another than that of "
                + other.path()
                + " (are both of one store?)");
      }
    }
  }

  /** The pools now, in the order they are filled; later calls may find more. */
  public List<NumberedPool> pools() {
    return members.stream().map(Member::numbered).toList();
  }

  /** The pool of that number. */
  public Optional<Pool> pool(int number) {
    for (Member member : members) {
      if (member.numbered().number() == number) {
        return Optional.of(member.numbered().pool());
      }
    }
    return Optional.empty();
  }

  /** Whether the first tier was ever too full. */
  public boolean overflowed() {
    return overflowed;
  }

  /**
   * Takes space, making a pool if need be.
   *
   * @param min bytes of payload it must have room for
   * @param wanted bytes of payload that would be best
   * @throws StoreException POOL_FULL naming the tiers and their sizes
   */
  public Placement reserve(long min, long wanted) {
    long good = Math.max(min, Math.min(wanted, SHORTEST_RUN));
    return reserveFrom(tiers.get(0), good, wanted)
        .or(() -> overflow(good, wanted))
        .or(() -> shortRun(min, wanted))
        .orElseThrow(() -> full(min));
  }

  /**
   * Takes space for a record of exactly that many bytes in the pools that are there; empty if none
   * of them has it.
   */
  public Optional<Placement> reserveExisting(long bytes) {
    return shortRun(bytes, bytes);
  }

  private Optional<Placement> overflow(long min, long wanted) {
    for (PoolTier tier : tiers.subList(1, tiers.size())) {
      Optional<Placement> placement = reserveFrom(tier, min, wanted);
      if (placement.isPresent()) {
        sayOnce(tier);
        return placement;
      }
    }
    return Optional.empty();
  }

  private Optional<Placement> shortRun(long min, long wanted) {
    for (PoolTier tier : tiers) {
      Optional<Placement> placement = reserveExisting(tier, min, wanted);
      if (placement.isPresent()) {
        return placement;
      }
    }
    return Optional.empty();
  }

  private Optional<Placement> reserveFrom(PoolTier tier, long min, long wanted) {
    return reserveExisting(tier, min, wanted).or(() -> growAndReserve(tier, min, wanted));
  }

  private Optional<Placement> reserveExisting(PoolTier tier, long min, long wanted) {
    for (Member member : members) {
      if (member.tier() == tier) {
        Optional<Extent> extent = member.numbered().pool().reserve(min, wanted);
        if (extent.isPresent()) {
          return Optional.of(new Placement(member.numbered().number(), extent.get()));
        }
      }
    }
    return Optional.empty();
  }

  private Optional<Placement> growAndReserve(PoolTier tier, long min, long wanted) {
    synchronized (growing) {
      // Whoever waited here may find the pool that the one before made.
      return reserveExisting(tier, min, wanted)
          .or(
              () ->
                  tier.grow(nextNumber, min)
                      .flatMap(
                          pool -> {
                            int number = nextNumber++;
                            members.add(new Member(tier, new NumberedPool(number, pool)));
                            return reserveExisting(tier, min, wanted);
                          }));
    }
  }

  private void sayOnce(PoolTier tier) {
    synchronized (growing) {
      if (!overflowed) {
        overflowed = true;
        LOG.warn("{} is full, new blocks go to {}", tiers.get(0), tier);
      }
    }
  }

  private StoreException full(long min) {
    return new StoreException(
        StoreException.Code.POOL_FULL,
        "no room for a record of " + min + " bytes, every pool is full: " + tiers);
  }

  /**
   * Closes every pool; see {@link Pool#close}. Sweeps as opening does: there may be no next one to
   * clear up after an owner that died meanwhile.
   */
  @Override
  public void close() {
    try {
      Each.of(members, member -> member.numbered().pool().close());
    } finally {
      tiers.forEach(PoolSet::sweep);
    }
  }

  private static void sweep(PoolTier tier) {
    try {
      tier.sweep();
    } catch (StoreException e) {
      LOG.warn("what dead owners left stays: {}", e.getMessage(), e);
    }
  }

  /** Ends ownership of every pool but leaves the mappings; see {@link Pool#abandon}. */
  public void abandon() {
    Each.of(members, member -> member.numbered().pool().abandon());
  }
}
