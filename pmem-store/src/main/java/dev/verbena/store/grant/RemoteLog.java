// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.rpc.BulkBatch;
import dev.verbena.rpc.RpcException;
import dev.verbena.store.StoreException;
import dev.verbena.store.index.IndexKey;
import dev.verbena.store.local.StoreLogs;
import dev.verbena.store.pool.RecordHeader;
import dev.verbena.store.pool.RecordLayout;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends entries to a log in the store of another process. An entry is one doorbell: payload,
 * header, FLUSH, publish word, FLUSH; the store's processor takes no part, but when the space that
 * was granted ahead is used up.
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
  private static final long RUN_BYTES = 16L << 20;

  private final GrantClient client;
  private final String application;
  private final int log;
  private final long applicationHash;
  private final CRC32C crc = new CRC32C();
  private Staging staging;
  private LogRun run;
  private RuntimeException broken;

  RemoteLog(GrantClient client, String application, int log) {
    this.client = client;
    this.application = application;
    this.log = log;
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

  private void openRun(int length) {
    giveBack();
    if (staging == null) {
      staging = client.newStaging();
    }
    long wanted = Math.max(RUN_BYTES, RecordLayout.spaceFor(length));
    run = client.grantRun(new LogRunLayout.Request(application, log, length, wanted));
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
    grant.publish(
        batch,
        at,
        RecordLayout.HEADER_BYTES + (long) length,
        RecordHeader.publishWordOf(headerBytes),
        staging.buffer(),
        Staging.SCRATCH_AT);
    staging.transfer(client.bulk(), client.deadline());
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
