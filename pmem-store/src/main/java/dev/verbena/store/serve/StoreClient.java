// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.rpc.RegisteredBuffer;
import dev.verbena.rpc.RpcClient;
import dev.verbena.rpc.RpcException;
import dev.verbena.rpc.RpcOptions;
import dev.verbena.store.BlockSink;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreException;
import dev.verbena.store.pool.Location;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.RemoteMapping;
import dev.verbena.verbs.VerbsException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** Reads stores of other processes over verbs. See {@link BlockClient}. */
public final class StoreClient implements BlockClient {
  /** Transfers of a batch, roughly: the ranges of a batch are counted, not their pieces. */
  private static final int RANGES_A_BATCH = 256;

  private final ServeOptions options;
  private final Device device;
  private final RpcClient rpc;
  private final FetchBuffers buffers;
  private final Peers peers;
  private final ManifestCache cache;
  private final CarrierTally tally = new CarrierTally();
  private final AtomicBoolean closed = new AtomicBoolean();

  private StoreClient(ServeOptions options, Device device) {
    this.options = options;
    this.device = device;
    ProtectionDomain domain = device.createProtectionDomain();
    this.cache = new ManifestCache(options.cacheBytes());
    this.buffers = new FetchBuffers(device, domain, options.bufferBytes());
    this.rpc = RpcClient.open(device, domain, RpcOptions.of(options.secret()));
    this.peers = new Peers(rpc, options.connectTimeout(), cache::removeAll);
  }

  /**
   * Opens a client, with a device of its own.
   *
   * @throws VerbsException if the device or resources can't be had
   */
  public static StoreClient open(ServeOptions options) {
    return Devices.with(options, device -> new StoreClient(options, device));
  }

  @Override
  public void fetch(StoreEndpoint endpoint, List<BlockRange> ranges, FetchListener told) {
    FetchListener listener = new IsolatedListener(told);
    List<RangePlan> plans;
    Peer peer;
    Deadline deadline;
    try {
      peer = peers.get(endpoint);
      deadline = Deadline.after(options.fetchTimeout());
      plans = plan(peer, ranges, listener, deadline);
    } catch (RuntimeException e) {
      StoreException failure = Failures.of(endpoint, e);
      ranges.forEach(range -> listener.onFailure(range, failure));
      return;
    }
    List<RangePlan> group = new ArrayList<>();
    long bytes = 0;
    for (RangePlan plan : plans) {
      if (!group.isEmpty()
          && (bytes + plan.length() > FetchBuffers.STEP_BYTES || group.size() == RANGES_A_BATCH)) {
        start(peer, group, bytes, listener, deadline);
        group = new ArrayList<>();
        bytes = 0;
      }
      group.add(plan);
      bytes += plan.length();
    }
    if (!group.isEmpty()) {
      start(peer, group, bytes, listener, deadline);
    }
  }

  private void start(
      Peer peer, List<RangePlan> plans, long bytes, FetchListener listener, Deadline deadline) {
    Optional<List<RegisteredBuffer>> taken;
    try {
      taken = buffers.forBlocks(peer.endpoint(), bytes);
    } catch (RuntimeException e) {
      StoreException failure = Failures.of(peer.endpoint(), e);
      plans.forEach(plan -> listener.onFailure(plan.range(), failure));
      return;
    }
    if (taken.isPresent()) {
      FetchBatch.start(this, peer, plans, listener, deadline, taken.get());
      return;
    }
    // All buffers are on loan, maybe to the very thread that asks: it must not wait for them.
    for (RangePlan plan : plans) {
      FetchedBlock block;
      try {
        block = copyToHeap(peer, plan);
      } catch (RuntimeException e) {
        StoreException failure = Failures.of(peer.endpoint(), e);
        failed(peer, failure);
        listener.onFailure(plan.range(), failure);
        continue;
      }
      listener.onBlock(block);
    }
  }

  private FetchedBlock copyToHeap(Peer peer, RangePlan plan) {
    HeapSink sink = new HeapSink();
    new PieceReader(this, peer, options.fetchTimeout()).copy(plan, sink);
    return new RegisteredBlock(
        plan.range(), peer.carrier(), plan.length(), List.of(), sink.buffers());
  }

  /** Where the ranges lie; the listener is told of those that do not exist. */
  private List<RangePlan> plan(
      Peer peer, List<BlockRange> ranges, FetchListener listener, Deadline deadline) {
    Map<MapOutputKey, RemoteOutput> outputs = locate(peer, ranges, deadline);
    List<RangePlan> plans = new ArrayList<>(ranges.size());
    List<Runnable> failures = new ArrayList<>();
    for (BlockRange range : ranges) {
      try {
        plans.add(planOf(peer, range, outputs, deadline));
      } catch (StoreException e) {
        failures.add(() -> listener.onFailure(range, e));
      }
    }
    failures.forEach(Runnable::run);
    return plans;
  }

  private Map<MapOutputKey, RemoteOutput> locate(
      Peer peer, List<BlockRange> ranges, Deadline deadline) {
    Set<MapOutputKey> keys = new HashSet<>();
    ranges.forEach(range -> keys.add(range.output()));
    try {
      return new RemoteIndex(peer, buffers, cache, deadline).locate(keys);
    } catch (StoreException e) {
      failed(peer, e);
      throw e;
    }
  }

  private static RangePlan planOf(
      Peer peer, BlockRange range, Map<MapOutputKey, RemoteOutput> outputs, Deadline deadline) {
    RemoteOutput output = outputs.get(range.output());
    if (output == null) {
      throw Failures.notFound(peer.endpoint(), range);
    }
    if (range.end() > output.manifest().partitions()) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          range + ": the output has " + output.manifest().partitions() + " partitions");
    }
    RangePlan plan = RangePlan.of(range, output);
    plan.check(peer, deadline);
    return plan;
  }

  @Override
  public Transferred transfer(StoreEndpoint endpoint, BlockRange range, BlockSink sink) {
    Peer peer = peers.get(endpoint);
    try {
      RangePlan plan = planOne(peer, range);
      new PieceReader(this, peer, options.fetchTimeout()).copy(plan, sink);
      return new Transferred(plan.length(), peer.carrier());
    } catch (StoreException | RpcException | VerbsException e) {
      StoreException failure = Failures.of(endpoint, e);
      failed(peer, failure);
      throw failure;
    }
  }

  @Override
  public Optional<InputStream> openMapped(StoreEndpoint endpoint, BlockRange range) {
    Peer peer = peers.get(endpoint);
    try {
      RangePlan plan = planOne(peer, range);
      if (plan.length() == 0) {
        tally.add(CarrierTally.MAPPED, 1, 0);
        return Optional.of(InputStream.nullInputStream());
      }
      long record = plan.output().manifest().segment(plan.pieces().get(0).segment()).record();
      RemotePool pool = peer.poolAt(record, 1, Deadline.after(options.fetchTimeout()));
      Optional<RemoteMapping> mapping = peer.map(pool);
      mapping.ifPresent(present -> tally.add(CarrierTally.MAPPED, 1, 0));
      return mapping.map(
          present ->
              new MappedInputStream(
                  this, peer, plan, present, Location.pool(record), options.fetchTimeout()));
    } catch (RuntimeException e) {
      StoreException failure = Failures.of(endpoint, e);
      failed(peer, failure);
      throw failure;
    }
  }

  /** The connection to a store, made if need be. */
  Peer peer(StoreEndpoint endpoint) {
    return peers.get(endpoint);
  }

  /** Where a range lies. */
  RangePlan planOne(Peer peer, BlockRange range) {
    Deadline deadline = Deadline.after(options.fetchTimeout());
    return planOf(peer, range, locate(peer, List.of(range), deadline), deadline);
  }

  /** Drops a peer after a failure that is not about a single output. */
  void failed(Peer peer, StoreException failure) {
    switch (failure.code()) {
      case NOT_FOUND, INVALID_ARGUMENT, INTERRUPTED -> {}
      default -> peers.drop(peer);
    }
  }

  ManifestCache cache() {
    return cache;
  }

  CarrierTally tally() {
    return tally;
  }

  FetchBuffers buffers() {
    return buffers;
  }

  @Override
  public void forget(StoreEndpoint peer) {
    peers.drop(peer);
  }

  @Override
  public CarrierCounts counts() {
    return tally.counts();
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try (device;
        buffers;
        rpc) {
      peers.close();
    }
  }

  /** Collects a range on the heap. */
  private static final class HeapSink implements BlockSink {
    private final List<ByteBuffer> parts = new ArrayList<>();

    @Override
    public void put(byte[] source, int offset, int length) {
      byte[] copy = new byte[length];
      System.arraycopy(source, offset, copy, 0, length);
      parts.add(ByteBuffer.wrap(copy));
    }

    @Override
    public void put(ByteBuffer source) {
      parts.add(ByteBuffer.allocate(source.remaining()).put(source).flip());
    }

    List<ByteBuffer> buffers() {
      return parts;
    }
  }
}
