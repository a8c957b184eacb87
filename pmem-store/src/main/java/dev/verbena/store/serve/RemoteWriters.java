// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.rpc.BufferPool;
import dev.verbena.rpc.RpcClient;
import dev.verbena.rpc.RpcException;
import dev.verbena.rpc.RpcOptions;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.grant.GrantClient;
import dev.verbena.store.grant.RemoteLog;
import dev.verbena.store.grant.RemoteMapOutputWriter;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.VerbsException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Writes map outputs and log entries into the stores of other processes, one-sided. Has connections
 * of its own: a WRITE that comes too late ends its connection, and no fetch must end with it.
 * Thread-safe.
 */
public final class RemoteWriters implements AutoCloseable {
  private final ServeOptions options;
  private final Device device;
  private final BufferPool buffers;
  private final RpcClient rpc;
  private final Peers peers;
  private final Map<Peer, GrantClient> clients = new ConcurrentHashMap<>();
  private final CarrierTally tally = new CarrierTally();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "verbena-store-leases");
            thread.setDaemon(true);
            return thread;
          });

  private RemoteWriters(ServeOptions options, Device device) {
    this.options = options;
    this.device = device;
    ProtectionDomain domain = device.createProtectionDomain();
    this.buffers =
        new BufferPool(device, domain, Set.of(AccessFlag.LOCAL_WRITE), options.bufferBytes());
    this.rpc = RpcClient.open(device, domain, RpcOptions.of(options.secret()));
    this.peers = new Peers(rpc, options.connectTimeout(), clients::remove);
  }

  /**
   * Opens the writers' side, with a device of its own.
   *
   * @throws VerbsException if the device or resources can't be had
   */
  public static RemoteWriters open(ServeOptions options) {
    return Devices.with(options, device -> new RemoteWriters(options, device));
  }

  /**
   * Opens a writer of a map output in a store; see {@link GrantClient#openMapOutput}.
   *
   * @throws dev.verbena.store.StoreException DISCONNECTED, TIMED_OUT, REJECTED, CLOSED, INTERRUPTED
   */
  public RemoteMapOutputWriter openMapOutput(
      StoreEndpoint store, MapOutputKey key, int partitions) {
    Peer peer = peers.get(store);
    return clients.computeIfAbsent(peer, this::clientOf).openMapOutput(key, partitions);
  }

  /**
   * Opens a log in a store for appending; see {@link GrantClient#openLog}.
   *
   * @throws dev.verbena.store.StoreException DISCONNECTED, TIMED_OUT, REJECTED, CLOSED, INTERRUPTED
   */
  public RemoteLog openLog(StoreEndpoint store, String application, int log) {
    return openLog(store, application, log, DurabilityDomain.PROCESS);
  }

  /**
   * The same for entries that must survive {@code least}; else the first append throws
   * DURABILITY_UNAVAILABLE.
   */
  public RemoteLog openLog(
      StoreEndpoint store, String application, int log, DurabilityDomain least) {
    Peer peer = peers.get(store);
    return clients.computeIfAbsent(peer, this::clientOf).openLog(application, log, least);
  }

  /**
   * Removes all outputs of a shuffle from a store that serves its application only.
   *
   * @return how many there were
   * @throws dev.verbena.store.StoreException DISCONNECTED, TIMED_OUT, CLOSED, INTERRUPTED; REJECTED
   *     also if the store serves more than one application
   */
  public int removeShuffle(StoreEndpoint store, int shuffle) {
    return remove(store, new RemovalLayout.Request(shuffle, RemovalLayout.SHUFFLE, 0));
  }

  /** As {@link #removeShuffle}, for one output; false if there was none. */
  public boolean removeMapOutput(StoreEndpoint store, int shuffle, long mapAttempt) {
    return remove(store, new RemovalLayout.Request(shuffle, RemovalLayout.ONE, mapAttempt)) > 0;
  }

  private int remove(StoreEndpoint store, RemovalLayout.Request request) {
    Peer peer = peers.get(store);
    try {
      return RemovalLayout.removed(
          peer.connection()
              .call(
                  RemovalLayout.METHOD,
                  RemovalLayout.encode(request),
                  Deadline.after(options.fetchTimeout())));
    } catch (RpcException e) {
      throw Failures.of(store, e);
    }
  }

  private GrantClient clientOf(Peer peer) {
    return new GrantClient(
        peer.connection(),
        device,
        buffers,
        peer.toString(),
        options.fetchTimeout(),
        timer,
        bytes -> tally.add(peer.carrier(), 1, bytes));
  }

  /** What was published so far, by carrier; ranges are records. */
  public CarrierCounts counts() {
    return tally.counts();
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    timer.shutdownNow();
    try (device;
        buffers;
        rpc) {
      peers.close();
    }
  }
}
