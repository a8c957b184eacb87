// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.rpc.BulkBatch;
import dev.verbena.rpc.RpcException;
import dev.verbena.store.StoreException;
import dev.verbena.store.index.IndexKey;
import dev.verbena.store.local.StoreLogs;
import dev.verbena.store.pool.RecordHeader;
import dev.verbena.store.pool.RecordLayout;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends entries to a log in the store of another process. An entry is one doorbell: payload,
 * header, FLUSH, publish word, FLUSH; the store's processor takes no part, but when the space that
 * was granted ahead is used up. Where a device has no FLUSH for the store's pool, a READ takes its
 * place if the store says that this is enough; else the store persists record and word, asked by a
 * call each.
 *
 * <p>When {@link #append} returns, the entry lies in the store's pool and survives what the domain
 * of the result names, by the method that it names. After a crash each entry is there whole or not
 * at all, and none without those that were appended here before it:
 *
 * <ul>
 *   <li>If this side dies, its connection ends or its lease is over, the store takes over what was
 *       appended; the entry under way may be among it.
 *   <li>If the store dies, whoever opens its pools next finds what was appended, if the domain
 *       covers what happened; the entry under way may be among it.
 * </ul>
 *
 * An append that throws may have happened or not, and is the last one: whoever goes on opens the
 * log anew, and looks in the store for whether that entry is there. One thread.
 */
public final class RemoteLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteLog.class);
  private static final long FIRST_RUN_BYTES = 16L << 20;
  private static final long MOST_RUN_BYTES = 64L << 20;

  private final GrantClient client;
  private final String application;
  private final int log;
  private final DurabilityDomain least;
  private final long applicationHash;
  private final CRC32C crc = new CRC32C();
  private Staging staging;
  private LogRun run;
  private long lastOrdinal;
  private long runBytes = FIRST_RUN_BYTES;
  private RuntimeException broken;

  RemoteLog(GrantClient client, String application, int log, DurabilityDomain least) {
    this.client = client;
    this.application = application;
    this.log = log;
    this.least = least;
    this.applicationHash = IndexKey.hashOf(application);
  }

  /**
   * Appends an entry; on return it is as durable as the result says. Waits no longer than the
   * timeout of the client for each batch of WRITEs and each call.
   */
  public Durability append(byte[] source, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, source.length);
    if (broken != null) {
      throw new StoreException(
          StoreException.Code.CLOSED, this + " ended with an append that failed", broken);
    }
    try {
      if (run == null || !run.hasRoom(length)) {
        openRun(length);
      }
      write(source, offset, length);
      lastOrdinal = run.ordinal();
      run.advance(length);
      client.published(length);
      return run.grant().durability();
    } catch (RpcException e) {
      broken = client.failure(e);
      throw broken;
    } catch (RuntimeException e) {
      broken = e;
      throw e;
    }
  }

  /**
   * Appends an argument and then has a service of the store's process take it from there. The
   * argument is written one-sided to where it stays: no processor of that process copies it.
   *
   * <p>What is promised of the argument is what {@link #append} promises, since it is an entry of
   * the log like any other, from before the call is sent. So, after a crash:
   *
   * <ul>
   *   <li>If this returns, the argument was durable before the service ran, and the service has
   *       answered. Whether what the service itself did is durable is the service's matter.
   *   <li>If this side dies, or the call fails, the argument is in the log if its append was done,
   *       and the service may have run or not; it never runs without the argument being there.
   *   <li>If the process of the store dies, whoever opens its pools next finds the argument in the
   *       log, if the pool's domain covers what happened, and can run then what was not: a service
   *       is never run again by itself.
   * </ul>
   *
   * A call that fails is not sent again, and does not end the log unless its append failed.
   *
   * @param method of a {@link DurableService}
   * @param request goes with the call itself, position to limit
   * @return the service's answer
   * @throws StoreException as of {@link #append}, and what the service threw
   */
  public ByteBuffer call(int method, byte[] source, int offset, int length, ByteBuffer request) {
    append(source, offset, length);
    long grant = run.grant().terms().grant();
    return client.call(
        method,
        ArgumentLayout.encode(new ArgumentLayout.Request(log, grant, lastOrdinal, request)));
  }

  private void openRun(int length) {
    giveBack();
    if (staging == null) {
      staging = client.newStaging();
    }
    long wanted = Math.max(runBytes, RecordLayout.spaceFor(length));
    run = client.grantRun(new LogRunLayout.Request(application, log, length, wanted), least);
    // Each run costs the store's CPU a call: a log that goes on asks for it less often.
    runBytes = Math.min(2 * runBytes, MOST_RUN_BYTES);
  }

  private void write(byte[] source, int offset, int length) {
    ClientGrant grant = run.grant();
    long at = run.position();
    crc.reset();
    crc.update(source, offset, length);
    BulkBatch batch;
    int done = 0;
    while (true) {
      int step = Math.min(staging.room(), length - done);
      staging.put(source, offset + done, step);
      batch = staging.batch();
      if (step > 0) {
        grant.write(batch, staging.buffer(), 0, at + RecordLayout.HEADER_BYTES + done, step);
      }
      done += step;
      if (done == length) {
        break;
      }
      staging.send(client.bulk(), client.deadline());
    }
    RecordHeader header =
        RecordHeader.of(
            StoreLogs.idOf(applicationHash, log, run.ordinal()),
            length,
            run.sequence(),
            (int) crc.getValue());
    byte[] headerBytes = header.encode();
    staging.putHeader(headerBytes);
    grant.write(batch, staging.buffer(), Staging.HEADER_AT, at, RecordLayout.HEADER_BYTES);
    grant
        .publication()
        .publish(
            client,
            grant,
            staging,
            batch,
            at,
            RecordLayout.HEADER_BYTES + (long) length,
            RecordHeader.publishWordOf(headerBytes));
  }

  /** What carries the entries. */
  public String carrier() {
    return client.carrier();
  }

  /** Gives the space back that was granted and not used. The entries stay. */
  @Override
  public void close() {
    try {
      giveBack();
    } catch (StoreException e) {
      LOG.info("{}: the store takes its space back by itself: {}", this, e.getMessage());
    } finally {
      if (staging != null) {
        staging.close();
        staging = null;
      }
      if (broken == null) {
        broken = new StoreException(StoreException.Code.CLOSED, this + " was closed");
      }
    }
  }

  private void giveBack() {
    if (run == null) {
      return;
    }
    long grant = run.grant().terms().grant();
    run = null;
    try {
      // A WRITE on its way must not meet a key that is gone.
      staging.quiet(client.deadline());
    } catch (RpcException e) {
      throw client.failure(e);
    } finally {
      client.abandon(new long[] {grant});
    }
  }

  @Override
  public String toString() {
    return "log " + log + " of " + application;
  }
}
