// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.memory.LateFault;
import dev.verbena.rpc.RegisteredBuffer;
import dev.verbena.rpc.RpcException;
import dev.verbena.store.StoreException;
import dev.verbena.store.manifest.Manifest;
import dev.verbena.store.manifest.Piece;
import dev.verbena.time.Deadline;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Some ranges of one peer on their way: READs of the data, then READs of the publish words, then
 * the listener is told. The ranges lie one behind the other in a space made of buffers of equal
 * size; small ones share a buffer.
 */
final class FetchBatch {
  private static final int STEP_BYTES = FetchBuffers.STEP_BYTES;

  private final StoreClient client;
  private final Peer peer;
  private final List<RangePlan> plans;
  private final FetchListener listener;
  private final Deadline deadline;
  private final List<RegisteredBuffer> buffers;
  private final SegmentWords words = new SegmentWords();
  private final PeerReads data;
  private final PeerReads wordReads;
  private RegisteredBuffer wordBuffer;
  private int told;

  private FetchBatch(
      StoreClient client,
      Peer peer,
      List<RangePlan> plans,
      FetchListener listener,
      Deadline deadline,
      List<RegisteredBuffer> buffers) {
    this.client = client;
    this.peer = peer;
    this.plans = plans;
    this.listener = listener;
    this.deadline = deadline;
    this.buffers = buffers;
    this.data = new PeerReads(peer, plans.size(), deadline);
    this.wordReads = new PeerReads(peer, plans.size(), deadline);
    plans.forEach(words::add);
  }

  /** Starts it; the listener hears of every range, whatever happens. Takes the buffers over. */
  static void start(
      StoreClient client,
      Peer peer,
      List<RangePlan> plans,
      FetchListener listener,
      Deadline deadline,
      List<RegisteredBuffer> buffers) {
    new FetchBatch(client, peer, plans, listener, deadline, buffers).readData();
  }

  private void readData() {
    try {
      long at = 0;
      for (RangePlan plan : plans) {
        for (Piece piece : plan.pieces()) {
          addPiece(plan, piece, at);
          at += piece.length();
        }
      }
      // Made beforehand: the callback must not wait, neither for memory nor for the peer.
      wordBuffer = client.buffers().scratch(peer.endpoint(), Math.max(1, words.bytes()), deadline);
      words.addTo(wordReads, wordBuffer);
    } catch (RuntimeException | InternalError e) {
      fail(Failures.of(peer.endpoint(), e));
      return;
    }
    submit(data, () -> submit(wordReads, this::deliver));
  }

  /** Words go in a batch of their own: only its end says that the READs of a batch are done. */
  private void submit(PeerReads reads, Runnable next) {
    try {
      peer.connection()
          .bulk()
          .submit(
              reads.batch(),
              deadline,
              (batch, failure) -> {
                if (failure == null) {
                  next.run();
                } else {
                  fail(Failures.of(peer.endpoint(), failure));
                }
              });
    } catch (RpcException e) {
      fail(Failures.of(peer.endpoint(), e));
    } catch (RuntimeException | InternalError e) {
      // The READs may be queued: the buffers stay out of use until their end.
      tellOfFailure(Failures.of(peer.endpoint(), e));
    } finally {
      // This thread may have copied from a pool that was cut short; deliver looks at the pools.
      LateFault.collect();
    }
  }

  private void addPiece(RangePlan plan, Piece piece, long at) {
    long location =
        Manifest.payloadLocation(plan.output().manifest().segment(piece.segment()).record())
            + piece.offset();
    for (long done = 0; done < piece.length(); ) {
      int within = (int) ((at + done) % STEP_BYTES);
      long run = Math.min(piece.length() - done, STEP_BYTES - within);
      data.add(buffers.get((int) ((at + done) / STEP_BYTES)), within, location + done, run);
      done += run;
    }
  }

  private void deliver() {
    try {
      data.checkWhole();
      tellOfAll();
    } catch (RuntimeException | InternalError e) {
      tellOfFailure(Failures.of(peer.endpoint(), e));
    } finally {
      releaseBuffers();
    }
  }

  private void tellOfAll() {
    long at = 0;
    while (told < plans.size()) {
      RangePlan plan = plans.get(told);
      FetchedBlock block = words.stand(plan, wordBuffer) ? block(plan, at) : null;
      told++;
      if (block != null) {
        client.tally().add(peer.carrier(), 1, plan.length());
        listener.onBlock(block);
      } else {
        client.cache().remove(peer, plan.output().key());
        listener.onFailure(plan.range(), Failures.gone(peer.endpoint(), plan.range()));
      }
      at += plan.length();
    }
  }

  private FetchedBlock block(RangePlan plan, long at) {
    List<RegisteredBuffer> parts = new ArrayList<>();
    List<ByteBuffer> views = new ArrayList<>();
    for (long done = 0; done < plan.length(); ) {
      int within = (int) ((at + done) % STEP_BYTES);
      int run = (int) Math.min(plan.length() - done, STEP_BYTES - within);
      RegisteredBuffer buffer = buffers.get((int) ((at + done) / STEP_BYTES));
      parts.add(buffer);
      views.add(buffer.memory().slice(buffer.offset() + within, run));
      done += run;
    }
    return new RegisteredBlock(plan.range(), peer.carrier(), plan.length(), parts, views);
  }

  private void fail(StoreException failure) {
    try {
      tellOfFailure(failure);
    } finally {
      releaseBuffers();
    }
  }

  private void tellOfFailure(StoreException failure) {
    client.failed(peer, failure);
    while (told < plans.size()) {
      listener.onFailure(plans.get(told).range(), failure);
      told++;
    }
  }

  private void releaseBuffers() {
    data.letGo();
    wordReads.letGo();
    buffers.forEach(RegisteredBuffer::close);
    if (wordBuffer != null) {
      wordBuffer.close();
    }
  }
}
