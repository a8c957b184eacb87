// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.rpc.BufferPool;
import dev.verbena.rpc.BulkChannel;
import dev.verbena.rpc.RpcConnection;
import dev.verbena.rpc.RpcException;
import dev.verbena.store.MapOutputCommit;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreException;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceCapability;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes map outputs and log entries into one store, over a connection that the caller keeps open.
 * A write that the store refuses ends the connection, so it had better not be the one that blocks
 * are fetched over. Thread-safe.
 */
public final class GrantClient {
  private static final Logger LOG = LoggerFactory.getLogger(GrantClient.class);
  private static final int RENEWALS_A_LEASE = 4;

  private final RpcConnection connection;
  private final boolean canFlush;
  private final BufferPool buffers;
  private final String store;
  private final Duration timeout;
  private final ScheduledExecutorService timer;
  private final LongConsumer onPublished;
  private final Map<Long, ClientGrant> grants = new ConcurrentHashMap<>();
  private final AtomicBoolean renewing = new AtomicBoolean();

  /**
   * Creates a client.
   *
   * @param device what the connection is on
   * @param buffers registered in the protection domain of the connection, with LOCAL_WRITE
   * @param store what the store is called in messages
   * @param timeout over each call and each batch of WRITEs
   * @param timer renews leases
   * @param onPublished told the bytes of each record that was published
   */
  public GrantClient(
      RpcConnection connection,
      Device device,
      BufferPool buffers,
      String store,
      Duration timeout,
      ScheduledExecutorService timer,
      LongConsumer onPublished) {
    this.connection = connection;
    this.canFlush = device.attributes().has(DeviceCapability.FLUSH_PERSISTENT);
    this.buffers = buffers;
    this.store = store;
    this.timeout = timeout;
    this.timer = timer;
    this.onPublished = onPublished;
  }

  /**
   * Opens a writer: nothing is asked of the store before the first byte. Its methods throw {@link
   * StoreException} also with NOT_GRANTED, DISCONNECTED, TIMED_OUT and REJECTED.
   */
  public RemoteMapOutputWriter openMapOutput(MapOutputKey key, int partitions) {
    if (partitions < 1) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          key + ": " + partitions + " partitions, expected at least 1");
    }
    return new RemoteMapOutputWriter(this, key, partitions);
  }

  /**
   * Opens a log for appending. Its methods throw {@link StoreException} with POOL_FULL,
   * QUOTA_EXCEEDED, NOT_GRANTED, DISCONNECTED, TIMED_OUT, REJECTED and DURABILITY_UNAVAILABLE.
   *
   * @param log its number, which the application chooses
   * @param least what an entry must survive at least
   */
  public RemoteLog openLog(String application, int log, DurabilityDomain least) {
    return new RemoteLog(this, application, log, least);
  }

  /** The same for entries that need not survive more than the store's process. */
  public RemoteLog openLog(String application, int log) {
    return openLog(application, log, DurabilityDomain.PROCESS);
  }

  /** What carries the WRITEs. */
  public String carrier() {
    return connection.bulk().carrier();
  }

  ClientGrant grant(String application, long least, long wanted) {
    long asked = System.nanoTime();
    GrantLayout.Request request = new GrantLayout.Request(application, least, wanted);
    return take(
        GrantLayout.response(call(GrantLayout.METHOD, GrantLayout.encode(request))),
        DurabilityDomain.PROCESS,
        asked);
  }

  /** Space in a log. */
  LogRun grantRun(LogRunLayout.Request request, DurabilityDomain leastDomain) {
    long asked = System.nanoTime();
    LogRunLayout.Response response =
        LogRunLayout.response(call(LogRunLayout.METHOD, LogRunLayout.encode(request)));
    return new LogRun(take(response.grant(), leastDomain, asked), response.firstOrdinal());
  }

  private ClientGrant take(GrantLayout.Response terms, DurabilityDomain least, long asked) {
    if (terms.domain().compareTo(least) < 0) {
      abandon(new long[] {terms.grant()});
      throw new StoreException(
          StoreException.Code.DURABILITY_UNAVAILABLE,
          store + " promises " + terms.domain() + ", expected at least " + least);
    }
    ClientGrant grant = new ClientGrant(terms, Publication.of(terms, canFlush), asked);
    grants.put(terms.grant(), grant);
    if (renewing.compareAndSet(false, true)) {
      renewLater(terms.leaseMillis());
    }
    return grant;
  }

  private void renewLater(long leaseMillis) {
    try {
      var unused =
          timer.schedule(this::renew, leaseMillis / RENEWALS_A_LEASE, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("store {}: the writers close, leases are not renewed any more", store, e);
    }
  }

  /** Begins a new lease of all grants, over and over while there are any. */
  private void renew() {
    renewing.set(false);
    // Only those that stand now: what is granted meanwhile may come after the renewal.
    Set<ClientGrant> standing = Set.copyOf(grants.values());
    if (standing.isEmpty() || !connection.isOpen() || !renewing.compareAndSet(false, true)) {
      return;
    }
    long asked = System.nanoTime();
    try {
      var unused =
          connection
              .callAsync(GrantListLayout.RENEW, GrantListLayout.request(), deadline())
              .whenComplete((response, failure) -> renewed(standing, asked, response, failure));
    } catch (RpcException e) {
      renewed(standing, asked, null, e);
    }
  }

  private void renewed(
      Set<ClientGrant> standing, long asked, ByteBuffer response, Throwable failure) {
    long next = standing.iterator().next().terms().leaseMillis();
    if (failure == null) {
      long lease = GrantListLayout.leaseMillis(response);
      standing.forEach(grant -> grant.renewed(asked, lease));
      next = lease;
    } else {
      LOG.warn("store {}: leases were not renewed: {}", store, failure.toString());
    }
    renewLater(next);
  }

  MapOutputCommit commit(CommitLayout.Request request) {
    try {
      return CommitLayout.response(call(CommitLayout.METHOD, CommitLayout.encode(request)));
    } finally {
      request.segments().forEach(segment -> grants.remove(segment.grant()));
    }
  }

  void abandon(long[] ids) {
    for (long id : ids) {
      grants.remove(id);
    }
    call(GrantListLayout.ABANDON, GrantListLayout.request(ids));
  }

  /**
   * Has the store make bytes durable.
   *
   * @throws RpcException if it did not
   */
  void persist(PersistLayout.Request request) {
    connection.call(PersistLayout.METHOD, PersistLayout.encode(request), deadline());
  }

  void published(long payloadBytes) {
    onPublished.accept(payloadBytes);
  }

  Staging newStaging() {
    try {
      return new Staging(buffers, deadline());
    } catch (RpcException e) {
      throw failure(e);
    }
  }

  BulkChannel bulk() {
    return connection.bulk();
  }

  Deadline deadline() {
    return Deadline.after(timeout);
  }

  StoreException failure(RpcException cause) {
    return CallFailures.of(store, cause);
  }

  ByteBuffer call(int method, ByteBuffer request) {
    try {
      return connection.call(method, request, deadline());
    } catch (RpcException e) {
      throw failure(e);
    }
  }
}
