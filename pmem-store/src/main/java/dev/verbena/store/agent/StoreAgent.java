// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoredMapOutput;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.store.serve.Devices;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.VerbsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store that belongs to its node and not to one application. Applications of the node attach over
 * a Unix socket and are told where and by which keys the store is served to them; a process holds
 * its application for as long as it is attached, or connected to that server. An application ends
 * when one of its processes says so, or when nobody has held it for a while; then its space
 * returns. What is in pools that are kept is there again after a restart. Thread-safe.
 */
public final class StoreAgent implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StoreAgent.class);
  private static final long MOST_TICK_MILLIS = 1000;
  private static final int TICKS = 4;
  private static final long DRAIN_PAUSE_NANOS = 10_000_000;

  private final AgentOptions options;
  private final long started = System.nanoTime();
  private final Device device;
  private final LocalBlockStore store;
  private final Applications applications;
  private final AgentSocket socket;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final ScheduledExecutorService reaper =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "verbena-agent-applications");
            thread.setDaemon(true);
            return thread;
          });

  private StoreAgent(AgentOptions options) {
    this.options = options;
    List<AutoCloseable> made = new ArrayList<>();
    boolean done = false;
    try {
      device = Devices.open(options.provider(), options.deviceDirectory(), options.tcpOnly());
      made.add(device);
      store = LocalBlockStore.open(options.store());
      made.add(store);
      applications = new Applications(options, store, device);
      made.add(applications);
      // Last: who finds the socket finds an agent.
      socket = AgentSocket.open(options, this);
      done = true;
    } finally {
      if (!done) {
        reaper.shutdownNow();
        closeAll(made);
      }
    }
    long tick = Math.max(1, Math.min(MOST_TICK_MILLIS, options.vanishedAfter().toMillis() / TICKS));
    var unused = reaper.scheduleWithFixedDelay(this::reap, tick, tick, TimeUnit.MILLISECONDS);
  }

  /**
   * Starts an agent: recovers its pools, or makes the first, and listens.
   *
   * @throws StoreException POOL_OWNED also if an agent listens at the socket; IO; as opening a
   *     store
   * @throws VerbsException if the device can't be had
   */
  public static StoreAgent open(AgentOptions options) {
    StoreAgent agent = new StoreAgent(options);
    LOG.info("{}: {} map outputs recovered", options, agent.store.usage().mapOutputs());
    return agent;
  }

  Applications applications() {
    return applications;
  }

  /** What there is to say of it now. */
  public AgentStatus status() {
    return new AgentStatus(
        options.name(),
        applications.isDraining(),
        Duration.ofNanos(System.nanoTime() - started),
        options.store().applicationQuota(),
        store.usage(),
        applications.status());
  }

  /** The map outputs of an application, with their figures; of all if {@code id} is empty. */
  public List<OutputStatus> mapOutputs(String id) {
    List<OutputStatus> found = new ArrayList<>();
    for (String application : id.isEmpty() ? store.applications() : List.of(id)) {
      for (MapOutputKey key : store.mapOutputs(application)) {
        store.find(key).ifPresent(output -> found.add(statusOf(output)));
      }
    }
    found.sort(OutputStatus.ORDER);
    return found;
  }

  private static OutputStatus statusOf(StoredMapOutput output) {
    try (output) {
      return new OutputStatus(
          output.key(), output.partitions(), output.rangeLength(0, output.partitions()));
    }
  }

  /** Ends applications that nobody holds now, and tells which. */
  public List<String> collect() {
    return applications.endUnheld(Duration.ZERO);
  }

  private void reap() {
    try {
      for (String id : applications.endUnheld(options.vanishedAfter())) {
        LOG.warn("application {} was held by nobody for {}", id, options.vanishedAfter());
      }
    } catch (RuntimeException e) {
      LOG.error("looking after applications failed", e); // Or it would be the last time.
    }
  }

  /**
   * Refuses what is new, waits a while for what is being written, and stops. Pools that are kept
   * keep what is in them.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    applications.drain();
    Deadline deadline = Deadline.after(options.drain());
    while (applications.openGrants() > 0 && !deadline.hasPassed()) {
      LockSupport.parkNanos(DRAIN_PAUSE_NANOS);
    }
    reaper.shutdownNow();
    closeAll(List.of(device, store, applications, socket));
    LOG.info("agent {} has ended", options.name());
  }

  /** The last one first, each whatever became of the others. */
  private static void closeAll(List<AutoCloseable> made) {
    for (int i = made.size() - 1; i >= 0; i--) {
      try {
        made.get(i).close();
      } catch (Exception e) {
        LOG.error("{} could not be closed", made.get(i), e);
      }
    }
  }
}
