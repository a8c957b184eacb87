// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.node;

import dev.verbena.memory.DaxDevice;
import dev.verbena.memory.DurabilityDomain;
import dev.verbena.spark.conf.ConfigurationException;
import dev.verbena.spark.conf.ShuffleSettings;
import dev.verbena.store.CgroupMemory;
import dev.verbena.store.MemoryShare;
import dev.verbena.store.PathTemplate;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.TierOptions;
import dev.verbena.store.serve.ServeOptions;
import dev.verbena.store.serve.StoreEndpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works out an executor's store, and how it is served, from the settings and the host.
 *
 * @param settings the application's
 * @param place the executor
 * @param unique keeps the pools of two applications apart that got one id: masters on one host give
 *     out the same id within a second
 */
record StorePlan(ShuffleSettings settings, NodePlace place, String unique) {
  private static final Logger LOG = LoggerFactory.getLogger(StorePlan.class);

  /** Pools are made one at a time as blocks come, so that an idle executor holds little. */
  private static final long FILE_SIZE = 64L << 20;

  private static final String POOL_DIRECTORY_KEY = "spark.shuffle.verbena.pool.directory";
  private static final String POOL_SIZE_KEY = "spark.shuffle.verbena.pool.size";
  private static final String OVERFLOW_SIZE_KEY = "spark.shuffle.verbena.overflow.size";
  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "hugetlbfs");
  private static final Path SHM = Path.of("/dev/shm");
  private static final String LOCAL_PLACE = "{local}";
  private static final int UNIQUE_LENGTH = 8;

  /** A plan whose pools no other executor has, whatever its ids. */
  static StorePlan of(ShuffleSettings settings, NodePlace place) {
    return new StorePlan(settings, place, UUID.randomUUID().toString().substring(0, UNIQUE_LENGTH));
  }

  StoreOptions storeOptions() {
    ShuffleSettings.Pool pool = settings.pool();
    List<TierOptions> tiers = new ArrayList<>();
    addPrimary(tiers, pool);
    if (pool.overflowSize() > 0) {
      Path directory = directory(pool.overflowDirectory());
      long fileSize = Math.min(pool.overflowFileSize(), pool.overflowSize());
      tiers.add(
          TierOptions.file(prefix(directory, "overflow"), fileSize, pool.overflowSize())
              .withDomain(DurabilityDomain.valueOf(pool.durability()))
              .boundBy(OVERFLOW_SIZE_KEY));
    }
    if (tiers.isEmpty()) {
      throw new ConfigurationException(
          "there is no room for blocks: %s = '%s' has none for a pool, and %s = '0'"
              .formatted(POOL_DIRECTORY_KEY, pool.directory(), OVERFLOW_SIZE_KEY));
    }
    return StoreOptions.of(tiers.toArray(TierOptions[]::new))
        .withVerifyReads(settings.verifyReads());
  }

  /** How the store is served. A software device keeps its memory beside the pool's. */
  ServeOptions serveOptions() {
    Path memory = settings.pool().inMemory() ? directory(settings.pool().directory()) : SHM;
    return ServeOptions.of(place.secret())
        .withTcpOnly(settings.tcpOnly())
        .withProvider(settings.provider(), memory)
        .withTimeouts(settings.timeouts().connect(), settings.timeouts().fetch());
  }

  InetSocketAddress bindAddress() {
    return resolved(settings.bindAddress().orElse(place.host()), settings.port());
  }

  /** What others are told: at a wildcard address nobody is reached, but at the executor's own. */
  StoreEndpoint advertised(StoreEndpoint served) {
    List<InetSocketAddress> addresses =
        served.addresses().stream()
            .map(
                at ->
                    at.getAddress().isAnyLocalAddress() ? resolved(place.host(), at.getPort()) : at)
            .toList();
    return new StoreEndpoint(served.name(), addresses, served.incarnation(), served.wireVersion());
  }

  private static InetSocketAddress resolved(String host, int port) {
    InetSocketAddress address = new InetSocketAddress(host, port);
    if (address.isUnresolved()) {
      throw new ConfigurationException(
          "the executor's Spark address '%s' does not resolve: set spark.shuffle.verbena.bindAddress"
              .formatted(host));
    }
    return address;
  }

  private void addPrimary(List<TierOptions> tiers, ShuffleSettings.Pool pool) {
    Path directory = directory(pool.directory());
    if (pool.onDevice()) {
      tiers.add(
          TierOptions.device(directory, deviceSize(directory, pool))
              .withDomain(DurabilityDomain.valueOf(pool.durability()))
              .boundBy(POOL_SIZE_KEY));
      return;
    }
    long size = pool.size().isPresent() ? asked(directory, pool) : share(directory, pool);
    if (size == 0) {
      return;
    }
    tiers.add(
        new TierOptions(
            pool.kind(),
            prefix(directory, "pool"),
            Math.min(size, FILE_SIZE),
            size,
            DurabilityDomain.valueOf(pool.durability()),
            true,
            POOL_SIZE_KEY));
  }

  /** What was asked for, else all of the device. */
  private static long deviceSize(Path device, ShuffleSettings.Pool pool) {
    if (pool.size().isPresent()) {
      return pool.size().getAsLong();
    }
    try (DaxDevice opened =
        DaxDevice.tryOpen(device).orElseThrow(() -> new IOException("another process has it"))) {
      return opened.size() - opened.size() % opened.alignment();
    } catch (IOException failure) {
      throw new ConfigurationException(
          "%s = '%s': the device %s can't be had: %s"
              .formatted(POOL_DIRECTORY_KEY, pool.directory(), device, failure.getMessage()),
          failure);
    }
  }

  private static long asked(Path directory, ShuffleSettings.Pool pool) {
    long size = pool.size().getAsLong();
    create(directory, pool);
    MemoryShare.objection(directory, size, room(pool)).ifPresent(LOG::warn);
    return size;
  }

  private static long share(Path directory, ShuffleSettings.Pool pool) {
    create(directory, pool);
    MemoryShare share = MemoryShare.of(directory, pool.executorsPerHost(), room(pool));
    share.finding().ifPresent(LOG::warn);
    return share.bytes();
  }

  private static void create(Path directory, ShuffleSettings.Pool pool) {
    try {
      Files.createDirectories(directory);
      String type = Files.getFileStore(directory).type();
      if (pool.inMemory() && !IN_MEMORY.contains(type)) {
        LOG.warn(
            "{} = '{}' is on {}, not in memory: blocks go to a disk; name a tmpfs, or set"
                + " spark.shuffle.verbena.pool.kind=file",
            POOL_DIRECTORY_KEY,
            pool.directory(),
            type);
      }
    } catch (IOException failure) {
      throw new ConfigurationException(
          "%s = '%s': the directory %s can't be made: %s"
              .formatted(POOL_DIRECTORY_KEY, pool.directory(), directory, failure),
          failure);
    }
  }

  /** What the cgroup leaves a pool once the heap has grown to its maximum. */
  private static OptionalLong room(ShuffleSettings.Pool pool) {
    OptionalLong left = CgroupMemory.ofThisProcess().left();
    if (!pool.inMemory() || left.isEmpty()) {
      return OptionalLong.empty();
    }
    Runtime heap = Runtime.getRuntime();
    long grown = heap.maxMemory() - (heap.totalMemory() - heap.freeMemory());
    return OptionalLong.of(Math.max(0, left.getAsLong() - grown));
  }

  private Path directory(String template) {
    String local = template.replace(LOCAL_PLACE, place.localDirectory().toString());
    return new PathTemplate(local).expand(place.application(), place.executor());
  }

  private Path prefix(Path directory, String what) {
    String name =
        new PathTemplate("verbena-{app}-{executor}")
            .expand(place.application(), place.executor())
            .toString();
    return directory.resolve(name + "-" + unique + "-" + what);
  }
}
