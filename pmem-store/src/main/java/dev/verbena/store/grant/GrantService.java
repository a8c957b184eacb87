// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.memory.DurabilityMethod;
import dev.verbena.rpc.RpcCall;
import dev.verbena.rpc.RpcException;
import dev.verbena.rpc.RpcMethods;
import dev.verbena.rpc.RpcPeer;
import dev.verbena.store.MapOutputCommit;
import dev.verbena.store.StoreException;
import dev.verbena.store.local.EntryBytes;
import dev.verbena.store.local.GrantedExtent;
import dev.verbena.store.local.GrantedRun;
import dev.verbena.store.local.GrantedSegment;
import dev.verbena.store.local.GrantedSpace;
import dev.verbena.store.pool.Pool;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceAttributes;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.VerbsException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Grants space of a store to writers in other processes, and commits what they wrote. A grant ends
 * with its commit, when its writer gives it back, when its lease is over, or with its connection;
 * its keys are revoked before anything else is done with its space. Thread-safe.
 */
public final class GrantService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GrantService.class);
  private static final int TICKS_A_LEASE = 8;
  private static final long CLOSE_SECONDS = 30;

  private final GrantedSpace space;
  private final GrantOptions options;
  private final GrantKeys keys;
  private final GrantKeys staged;
  private final GrantMemory memory;
  private final DeviceAttributes device;
  private final GrantTable grants = new GrantTable();

  /** Keys that could not be revoked yet; for the reaper. */
  private final List<Stopped> quarantined = new ArrayList<>();

  private final ScheduledExecutorService reaper =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "verbena-store-grants");
            thread.setDaemon(true);
            return thread;
          });

  private volatile int quarantinedCount;
  private volatile boolean draining;

  /** Space whose keys a peer is stopped behind. */
  private record Stopped(KeyPair keys, GrantedExtent extent) {}

  /**
   * Creates the service; {@link #addTo} makes it known.
   *
   * @param domain what the queue pairs of the writers' connections are of
   */
  public GrantService(
      GrantedSpace space,
      Device device,
      ProtectionDomain domain,
      GrantMemory memory,
      GrantOptions options) {
    this(
        space,
        device.attributes(),
        memory,
        keysFor(device, domain, memory),
        new StagedKeys(device, domain),
        options);
  }

  GrantService(
      GrantedSpace space,
      DeviceAttributes device,
      GrantMemory memory,
      GrantKeys keys,
      GrantKeys staged,
      GrantOptions options) {
    this.space = space;
    this.device = device;
    this.memory = memory;
    this.options = options;
    this.keys = keys;
    this.staged = staged;
    long tick = Math.max(1, options.lease().toMillis() / TICKS_A_LEASE);
    // What reap throws it tells itself.
    var unused = reaper.scheduleWithFixedDelay(this::reap, tick, tick, TimeUnit.MILLISECONDS);
  }

  /** Windows, or a region a key where the device has none that keep peers within their bounds. */
  static GrantKeys keysFor(Device device, ProtectionDomain domain, GrantMemory memory) {
    return device.attributes().hasBoundedWindows()
        ? new WindowKeys(domain, memory)
        : new RegionKeys(domain);
  }

  /** Adds the calls, and who is told that a connection ended. */
  public RpcMethods addTo(RpcMethods methods) {
    return methods
        .add(GrantLayout.METHOD, call -> answer(call, this::grant))
        .add(LogRunLayout.METHOD, call -> answer(call, this::grantRun))
        .add(CommitLayout.METHOD, call -> answer(call, this::commit))
        .add(PersistLayout.METHOD, call -> answer(call, this::persist))
        .add(GrantListLayout.ABANDON, call -> answer(call, this::abandon))
        .add(GrantListLayout.RENEW, call -> answer(call, this::renew))
        .onConnectionEnd(this::ended);
  }

  /**
   * Adds a method whose callers put its argument into a log of theirs first.
   *
   * @param method its number, from {@link DurableService#FIRST_METHOD} on
   */
  public void addTo(RpcMethods methods, int method, DurableService service) {
    if (method < DurableService.FIRST_METHOD) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          "service " + method + ", expected at least " + DurableService.FIRST_METHOD);
    }
    methods.add(method, call -> answer(call, asked -> service.call(argumentOf(asked))));
  }

  private DurableArgument argumentOf(RpcCall call) {
    ArgumentLayout.Request request = ArgumentLayout.request(call.request());
    Grant grant = grants.get(request.grant(), call.peer().connectionId());
    EntryBytes entry =
        grant
            .entry(request.log(), request.ordinal())
            .orElseThrow(
                () ->
                    new StoreException(
                        StoreException.Code.NOT_GRANTED,
                        "entry "
                            + request.ordinal()
                            + " of log "
                            + request.log()
                            + " was not published in "
                            + grant));
    return new DurableArgument(
        grant.application(), request.log(), request.ordinal(), entry, request.rest());
  }

  /** The only application that may write; empty if each may. */
  public String application() {
    return options.application();
  }

  /** Refuses grants from now on; those that stand can be committed. */
  public void drain() {
    draining = true;
  }

  /** Grants that stand. */
  public int open() {
    return grants.size();
  }

  /** Grants that are over, but whose keys can't be revoked yet, so that the space is kept. */
  public int quarantined() {
    return quarantinedCount;
  }

  private interface Answer {
    ByteBuffer to(RpcCall call);
  }

  private void answer(RpcCall call, Answer answer) {
    ByteBuffer response;
    try {
      response = answer.to(call);
    } catch (StoreException e) {
      call.fail(WireFailure.numberOf(e.code()), e.getMessage());
      return;
    } catch (VerbsException e) {
      LOG.warn("call {} of {} failed", call.method(), call.peer(), e);
      call.fail(WireFailure.numberOf(StoreException.Code.POOL_FULL), e.getMessage());
      return;
    }
    call.reply(response);
  }

  private ByteBuffer grant(RpcCall call) {
    GrantLayout.Request request = GrantLayout.request(call.request());
    checkMayWrite(request.application());
    checkLeast(request.least());
    long wanted = Math.max(keys.leastBytes(), Math.min(request.wanted(), options.mostBytes()));
    return GrantLayout.encode(
        open(call, request.application(), space.reserve(request.least(), wanted)));
  }

  private ByteBuffer grantRun(RpcCall call) {
    LogRunLayout.Request request = LogRunLayout.request(call.request());
    checkMayWrite(request.application());
    checkLeast(request.least());
    long wanted = Math.max(keys.leastBytes(), Math.min(request.wanted(), options.mostBytes()));
    GrantedRun run =
        space.reserveRun(request.application(), request.log(), request.least(), wanted);
    return LogRunLayout.encode(
        new LogRunLayout.Response(
            open(call, request.application(), run.extent()), run.firstOrdinal()));
  }

  private void checkMayWrite(String application) {
    if (draining) {
      throw new StoreException(StoreException.Code.NOT_GRANTED, "the store is about to end");
    }
    if (!options.application().isEmpty() && !options.application().equals(application)) {
      throw new StoreException(
          StoreException.Code.NOT_GRANTED,
          "application " + application + " may not write as " + options.application());
    }
  }

  private void checkLeast(long least) {
    if (least > options.mostBytes()) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          "a grant of " + least + " bytes, expected at most " + options.mostBytes());
    }
  }

  /** Opens space to the peer that called. */
  private GrantLayout.Response open(RpcCall call, String application, GrantedExtent extent) {
    Grant grant =
        new Grant(
            grants.newId(),
            call.peer().connectionId(),
            application,
            extent,
            Deadline.after(options.lease()));
    // Before it is opened: once the keys work, the end of the connection must find it.
    grants.put(grant);
    KeyPair made = open(call, grant);
    if (!grant.opened(made)) {
      revoke(made, extent);
      throw new StoreException(
          StoreException.Code.NOT_GRANTED, grant + " was over before it was opened");
    }
    Pool pool = extent.pool();
    boolean inPlace = isRegistered(extent);
    return new GrantLayout.Response(
        inPlace && device.canFlush(pool),
        inPlace && readSuffices(pool),
        pool.domain(),
        grant.id(),
        options.lease().toMillis(),
        made.recordKey(),
        made.wordKey(),
        made.recordAddress(),
        made.wordAddress(),
        extent.payloadCapacity(),
        extent.sequence());
  }

  private boolean isRegistered(GrantedExtent extent) {
    return memory.region(extent.poolNumber()).isPresent();
  }

  private boolean readSuffices(Pool pool) {
    return pool.domain() == DurabilityDomain.PROCESS
        || (options.readAfterWrite() && pool.method() == DurabilityMethod.FLUSH);
  }

  private KeyPair open(RpcCall call, Grant grant) {
    GrantedExtent extent = grant.extent();
    boolean opened = false;
    try {
      GrantKeys suited = isRegistered(extent) ? keys : staged;
      KeyPair made =
          suited.open(call.bulk(), extent, device.canFlush(extent.pool()), call.deadline());
      opened = true;
      return made;
    } catch (RpcException e) {
      throw new StoreException(
          StoreException.Code.NOT_GRANTED, grant + " could not be opened to its peer", e);
    } finally {
      if (!opened) {
        grants.remove(grant);
        giveBack(grant.extent());
      }
    }
  }

  private ByteBuffer commit(RpcCall call) {
    CommitLayout.Request request = CommitLayout.request(call.request());
    long[] ids = request.segments().stream().mapToLong(CommitLayout.WireSegment::grant).toArray();
    List<Grant> taken = grants.removeAll(ids, call.peer().connectionId());
    // Revoked before it is looked at: what is checked must not change any more.
    List<GrantedSegment> segments = new ArrayList<>(taken.size());
    for (int i = 0; i < taken.size(); i++) {
      CommitLayout.WireSegment segment = request.segments().get(i);
      segments.add(new GrantedSegment(taken.get(i).extent(), segment.first(), segment.offsets()));
    }
    if (!revokeAll(taken) || !areOf(taken, request.key().application())) {
      taken.forEach(this::release);
      throw new StoreException(
          StoreException.Code.NOT_GRANTED, request.key() + " is written elsewhere than granted");
    }
    MapOutputCommit commit =
        space.commit(request.key(), request.partitions(), segments, request.checksums());
    return CommitLayout.encode(commit);
  }

  private static boolean areOf(List<Grant> taken, String application) {
    return taken.stream()
        .allMatch(grant -> grant.application().equals(application) && !grant.extent().isRun());
  }

  /** False if one of them still opens: a peer may be stopped in it. */
  private static boolean revokeAll(List<Grant> taken) {
    boolean all = true;
    for (Grant grant : taken) {
      try {
        grant.end().ifPresent(KeyPair::revoke);
      } catch (RuntimeException e) {
        LOG.warn("{} can't be committed", grant, e);
        all = false;
      }
    }
    return all;
  }

  private ByteBuffer persist(RpcCall call) {
    PersistLayout.Request request = PersistLayout.request(call.request());
    Grant grant = grants.get(request.grant(), call.peer().connectionId());
    boolean done =
        grant.flush(
            flush -> {
              if (request.words()) {
                flush.words(request.position(), request.length());
              } else {
                flush.records(request.position(), request.length());
              }
            });
    if (!done) {
      throw new StoreException(StoreException.Code.NOT_GRANTED, grant + " is over");
    }
    return ByteBuffer.allocate(0);
  }

  private ByteBuffer abandon(RpcCall call) {
    long[] ids = GrantListLayout.grants(call.request());
    grants.removeAll(ids, call.peer().connectionId()).forEach(this::release);
    return GrantListLayout.response(options.lease().toMillis());
  }

  private ByteBuffer renew(RpcCall call) {
    GrantListLayout.grants(call.request());
    Deadline until = Deadline.after(options.lease());
    grants.ofConnection(call.peer().connectionId()).forEach(grant -> grant.renew(until));
    return GrantListLayout.response(options.lease().toMillis());
  }

  private void ended(RpcPeer peer) {
    try {
      reaper.execute(() -> endAllOf(peer));
    } catch (RejectedExecutionException e) {
      LOG.debug("the connection of {} ended after the grants of the store", peer, e);
    }
  }

  private void endAllOf(RpcPeer peer) {
    try {
      List<Grant> over = grants.removeIf(grant -> grant.connection() == peer.connectionId());
      if (!over.isEmpty()) {
        LOG.info("{} grants end with the connection of {}", over.size(), peer);
        over.forEach(this::release);
      }
    } catch (RuntimeException e) {
      LOG.error("ending the grants of {} failed", peer, e); // Nobody asks for what came of it.
    }
  }

  private void reap() {
    try {
      for (Grant grant : grants.removeIf(each -> each.lease().hasPassed())) {
        LOG.warn("{} was not renewed and is over", grant);
        release(grant);
      }
      retryQuarantined();
    } catch (RuntimeException e) {
      LOG.error("ending grants whose lease is over failed", e);
    }
  }

  /**
   * Ends a grant that was taken out of the table, and gives its space back. What fails is told in
   * the log and not thrown: others are to be ended after it.
   */
  private void release(Grant grant) {
    // If it has no keys yet, who opens it sees that it is over.
    grant.end().ifPresent(made -> revoke(made, grant.extent()));
  }

  private void revoke(KeyPair made, GrantedExtent extent) {
    try {
      made.revoke();
    } catch (RuntimeException e) {
      LOG.warn(
          "the keys of {} can't be revoked, it is tried again: maybe a writer is stopped there",
          extent,
          e);
      synchronized (quarantined) {
        quarantined.add(new Stopped(made, extent));
        quarantinedCount = quarantined.size();
      }
      return;
    }
    giveBack(extent);
  }

  /**
   * Nobody can write there any more, so what fails is not tried again: recovery takes the space.
   */
  private static void giveBack(GrantedExtent extent) {
    try {
      extent.giveBack();
    } catch (RuntimeException e) {
      LOG.error("{} can't be given back, its space stays in use", extent, e);
    }
  }

  private void retryQuarantined() {
    List<Stopped> again;
    synchronized (quarantined) {
      again = List.copyOf(quarantined);
      quarantined.clear();
      quarantinedCount = 0;
    }
    again.forEach(each -> revoke(each.keys(), each.extent()));
  }

  /**
   * Ends every grant. The connections of the writers must be closed before. What is quarantined
   * then keeps the store's mappings in place when it closes.
   */
  @Override
  public void close() {
    reaper.shutdown();
    try {
      if (!reaper.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("the grants' thread does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    grants.removeIf(grant -> true).forEach(this::release);
    retryQuarantined();
  }
}
