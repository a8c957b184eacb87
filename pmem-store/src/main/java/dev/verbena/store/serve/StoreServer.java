// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.rpc.RpcCall;
import dev.verbena.rpc.RpcMethods;
import dev.verbena.rpc.RpcOptions;
import dev.verbena.rpc.RpcServer;
import dev.verbena.store.grant.DurableService;
import dev.verbena.store.grant.GrantOptions;
import dev.verbena.store.grant.GrantService;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.store.pool.NumberedPool;
import dev.verbena.store.pool.Pool;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves a store to other processes: registers its pools for READ and tells their keys to whoever
 * knows the secret, and grants space to writers. Readers then need this process's memory only, not
 * its processor. Thread-safe.
 */
public final class StoreServer implements AutoCloseable {
  /** Version of what is said and of what readers find in memory. */
  public static final int WIRE_VERSION = 1;

  private static final Logger LOG = LoggerFactory.getLogger(StoreServer.class);

  private final LocalBlockStore store;
  private final String name;
  private final Device device;
  private final boolean ownsDevice;
  private final ProtectionDomain domain;
  private final SortedMap<Integer, MemoryRegion> regions = new TreeMap<>();

  /** Pools that the device can't register. */
  private final Set<Integer> staged = new HashSet<>();

  private final GrantService grants;
  private final Set<AccessFlag> access;
  private RpcServer rpc;
  private boolean closed;

  private StoreServer(
      LocalBlockStore store, String name, Device device, boolean ownsDevice, GrantOptions options) {
    this.store = store;
    this.name = name;
    this.device = device;
    this.ownsDevice = ownsDevice;
    this.domain = device.createProtectionDomain();
    this.access = EnumSet.of(AccessFlag.REMOTE_READ, AccessFlag.LOCAL_WRITE);
    if (device.attributes().hasBoundedWindows()) {
      access.add(AccessFlag.WINDOW_BIND);
    }
    this.grants = new GrantService(store.grantedSpace(), device, domain, this::regionOf, options);
  }

  /**
   * Starts to serve a store, which must stay open until this server is closed.
   *
   * @param name what people call the store
   * @param bind numeric address to listen at; port 0 chooses one
   * @throws VerbsException if the device, the address or resources can't be had
   */
  public static StoreServer open(
      LocalBlockStore store, String name, InetSocketAddress bind, ServeOptions options) {
    return open(store, name, bind, options, GrantOptions.defaults(), Map.of());
  }

  /**
   * As {@link #open(LocalBlockStore, String, InetSocketAddress, ServeOptions)}.
   *
   * @param services by their methods' numbers, what callers hand arguments in logs to
   */
  public static StoreServer open(
      LocalBlockStore store,
      String name,
      InetSocketAddress bind,
      ServeOptions options,
      GrantOptions granting,
      Map<Integer, DurableService> services) {
    return new StoreServer(store, name, Devices.open(options), true, granting)
        .start(bind, rpcOptions(options), services);
  }

  /**
   * Serves a store on a device of the caller, in a protection domain of its own: so several servers
   * share a store, each with its own secret and keys.
   *
   * @param device closed by the caller, after this server
   * @throws VerbsException if the address or resources can't be had
   */
  public static StoreServer share(
      LocalBlockStore store,
      String name,
      InetSocketAddress bind,
      Device device,
      RpcOptions options,
      GrantOptions granting) {
    return new StoreServer(store, name, device, false, granting).start(bind, options, Map.of());
  }

  private StoreServer start(
      InetSocketAddress bind, RpcOptions options, Map<Integer, DurableService> services) {
    boolean opened = false;
    try {
      attachment(); // What can't be registered is told now and not to the first reader.
      RpcMethods methods = new RpcMethods().add(AttachLayout.METHOD, this::attach);
      new Removals(store, grants.application()).addTo(methods);
      grants.addTo(methods);
      services.forEach((method, service) -> grants.addTo(methods, method, service));
      rpc = RpcServer.start(device, domain, bind, options, methods);
      opened = true;
      return this;
    } finally {
      if (!opened) {
        close();
      }
    }
  }

  /** Who connects has, at either end, the same time for it. */
  private static RpcOptions rpcOptions(ServeOptions options) {
    RpcOptions usual = RpcOptions.of(options.secret());
    Duration longest = RpcOptions.LONGEST_HANDSHAKE;
    Duration wanted = options.connectTimeout();
    return usual.withConnections(
        usual.maxConnections(),
        usual.maxUnauthenticated(),
        wanted.compareTo(longest) < 0 ? wanted : longest);
  }

  /** Where and as what the store is served. */
  public StoreEndpoint endpoint() {
    return new StoreEndpoint(name, List.of(rpc.address()), rpc.incarnation(), WIRE_VERSION);
  }

  private void attach(RpcCall call) {
    int version = AttachLayout.requestVersion(call.request());
    if (version != WIRE_VERSION) {
      call.fail(
          AttachLayout.FAILURE_VERSION,
          "store " + name + " speaks version " + WIRE_VERSION + ", asked for " + version);
      return;
    }
    call.reply(AttachLayout.response(attachment()));
  }

  /** The pools now; those that came since the last time are registered first. */
  private synchronized Attachment attachment() {
    registerAll();
    List<RemotePool> pools = new ArrayList<>();
    regions.forEach(
        (number, region) ->
            pools.add(
                new RemotePool(number, region.remoteKey(), region.address(), region.length())));
    return new Attachment(store.indexDescriptor(), pools);
  }

  private void registerAll() {
    for (NumberedPool numbered : store.numberedPools()) {
      int number = numbered.number();
      if (!regions.containsKey(number) && !staged.contains(number)) {
        register(number, numbered.pool());
      }
    }
  }

  private synchronized Optional<MemoryRegion> regionOf(int poolNumber) {
    if (!regions.containsKey(poolNumber) && !staged.contains(poolNumber)) {
      registerAll();
    }
    return Optional.ofNullable(regions.get(poolNumber));
  }

  /** As a pool, so that peers can have what they wrote made durable. */
  private void register(int number, Pool pool) {
    try {
      regions.put(number, domain.register(pool, 0, pool.memory().size(), access));
    } catch (VerbsException e) {
      if (e.code() != VerbsException.Code.UNAVAILABLE) {
        throw e;
      }
      staged.add(number);
      LOG.warn(
          "store {}: pool {} is written through other memory, and can't be read from elsewhere: {}",
          name,
          pool.path(),
          e.getMessage());
    }
  }

  /** Numbers of the pools that the device can't register, so that what is written is copied. */
  public synchronized Set<Integer> stagedPools() {
    return Set.copyOf(staged);
  }

  /** Connections of those who know the secret. */
  public int connections() {
    return rpc.statistics().connections();
  }

  /** The grants, for those who watch. */
  public GrantService grants() {
    return grants;
  }

  /** Breaks the connections and deregisters the pools; the store stays open. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    // Not under the lock: a handler that is waited for may want it.
    try {
      try (grants) {
        if (rpc != null) {
          rpc.close();
        }
      } finally {
        deregister();
      }
    } finally {
      if (ownsDevice) {
        device.close();
      } else {
        freeDomain();
      }
    }
  }

  private void freeDomain() {
    try {
      domain.close();
    } catch (VerbsException e) {
      LOG.warn("store {}: its protection domain stays until the device is closed", name, e);
    }
  }

  private synchronized void deregister() {
    for (MemoryRegion region : regions.values()) {
      try {
        region.close();
      } catch (VerbsException e) {
        LOG.warn("store {}: a reader does not let go of {}", name, region.memory(), e);
        store.quarantine();
      }
    }
  }
}
