// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.store.StoreException;
import dev.verbena.store.manifest.Manifest;
import dev.verbena.store.manifest.Piece;
import dev.verbena.store.manifest.Segment;
import dev.verbena.store.pool.Location;
import dev.verbena.store.pool.PoolLayout;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.RemoteMapping;
import dev.verbena.verbs.VerbsException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A range read from the mapping of a peer's pool, in steps that are copied out, after which the
 * segment's publish word is checked before any byte is passed on. A connection belongs to all who
 * read from the peer, so if it ends in the middle, the range goes on over a new one. One thread.
 */
final class MappedInputStream extends InputStream {
  private static final Logger LOG = LoggerFactory.getLogger(MappedInputStream.class);
  private static final int STEP_BYTES = 64 << 10;

  private final StoreClient client;
  private final Duration timeout;
  private final ByteBuffer word =
      ByteBuffer.allocate(PoolLayout.WORD_BYTES).order(ByteOrder.nativeOrder());
  private final ByteBuffer step;
  private Peer peer;
  private RangePlan plan;
  private RemoteMapping mapping;
  private int mappedPool = -1;
  private int nextPiece;
  private long donePiece;
  private long unread;

  /** Maps the pool of the first piece, given as {@code first} and {@code firstPool}. */
  MappedInputStream(
      StoreClient client,
      Peer peer,
      RangePlan plan,
      RemoteMapping first,
      int firstPool,
      Duration timeout) {
    this.client = client;
    this.peer = peer;
    this.plan = plan;
    this.mapping = first;
    this.mappedPool = firstPool;
    this.timeout = timeout;
    this.unread = plan.length();
    this.step = ByteBuffer.allocate((int) Math.min(STEP_BYTES, plan.length())).limit(0);
  }

  @Override
  public int read() {
    return fill() ? step.get() & 0xff : -1;
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    if (!fill()) {
      return -1;
    }
    int run = Math.min(length, step.remaining());
    step.get(target, offset, run);
    return run;
  }

  @Override
  public int available() {
    return (int) Math.min(unread + step.remaining(), Integer.MAX_VALUE);
  }

  /** Makes sure that there is a byte in the step; false at the end. */
  private boolean fill() {
    if (step.hasRemaining()) {
      return true;
    }
    if (unread == 0) {
      return false;
    }
    Piece piece = plan.pieces().get(nextPiece);
    int run = (int) Math.min(step.capacity(), piece.length() - donePiece);
    Segment segment = loadOrResume(piece, run);
    if (word.getLong(0) != segment.publishWord()) {
      step.limit(0);
      client.cache().remove(peer, plan.output().key());
      throw Failures.gone(peer.endpoint(), plan.range());
    }
    step.limit(run);
    client.tally().add(CarrierTally.MAPPED, 0, run);
    unread -= run;
    donePiece += run;
    if (donePiece == piece.length()) {
      nextPiece++;
      donePiece = 0;
    }
    return true;
  }

  private Segment loadOrResume(Piece piece, int run) {
    step.clear();
    boolean loaded = false;
    try {
      Segment segment = loadFromEither(piece, run);
      loaded = true;
      return segment;
    } finally {
      if (!loaded) {
        step.limit(0);
      }
    }
  }

  private Segment loadFromEither(Piece piece, int run) {
    try {
      return load(piece, run);
    } catch (VerbsException e) {
      resume(dropped(e));
    } catch (StoreException e) {
      if (peer.isOpen()) {
        throw e;
      }
      resume(e);
    }
    try {
      return load(piece, run);
    } catch (VerbsException e) {
      throw dropped(e);
    }
  }

  private StoreException dropped(VerbsException cause) {
    StoreException failure = Failures.of(peer.endpoint(), cause);
    client.failed(peer, failure);
    return failure;
  }

  /**
   * Finds the range again over a new connection.
   *
   * @throws StoreException {@code failure} itself if there is no other, or NOT_FOUND if the range
   *     lies elsewhere now
   */
  private void resume(StoreException failure) {
    LOG.info("{}: {} is read on over a new connection", peer, plan.range(), failure);
    Peer again;
    RangePlan found;
    try {
      again = client.peer(peer.endpoint());
      found = client.planOne(again, plan.range());
    } catch (StoreException e) {
      failure.addSuppressed(e);
      throw failure;
    }
    if (!found.liesAt(plan)) {
      throw Failures.gone(peer.endpoint(), plan.range());
    }
    peer = again;
    plan = found;
    mapping = null;
    mappedPool = -1;
  }

  private Segment load(Piece piece, int run) {
    Segment segment = plan.output().manifest().segment(piece.segment());
    long location = Manifest.payloadLocation(segment.record()) + piece.offset() + donePiece;
    load(location, step, run);
    load(segment.wordLocation(), word, PoolLayout.WORD_BYTES);
    return segment;
  }

  private void load(long location, ByteBuffer target, int length) {
    RemotePool pool = peer.poolAt(location, length, Deadline.after(timeout));
    if (pool.number() != mappedPool) {
      mapping =
          peer.map(pool)
              .orElseThrow(
                  () ->
                      new StoreException(
                          StoreException.Code.DISCONNECTED,
                          peer + ": pool " + pool.number() + " can't be mapped"));
      mappedPool = pool.number();
    }
    mapping.read(Location.offset(location), target, 0, length);
  }

  @Override
  public void close() {
    unread = 0;
    step.limit(0);
  }
}
