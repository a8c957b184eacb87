// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.WorkCompletion;
import org.HdrHistogram.Histogram;

/** WRITEs the near memory into the far one, a piece after the other, once a round. */
final class WritePass implements Subject {
  private final VerbsEnd end;
  private final int piece;
  private final int pieces;
  private final SendRequest request = new SendRequest(1);
  private final WorkCompletion[] batch = WorkCompletion.array(1);
  private final Spin spin = new Spin("WRITE");

  WritePass(VerbsEnd end, int piece, int pieces) {
    this.end = end;
    this.piece = piece;
    this.pieces = pieces;
  }

  @Override
  public String name() {
    return "verbena";
  }

  @Override
  public Sample round() {
    Histogram single = new Histogram(3);
    long start = System.nanoTime();
    long before = start;
    for (int i = 0; i < pieces; i++) {
      write(i);
      long now = System.nanoTime();
      single.recordValue(rate(piece, now - before));
      before = now;
    }
    return new Sample(rate((long) piece * pieces, before - start) / Sample.SCALE, single);
  }

  /** Bytes that this thread allocated for {@code count} WRITEs. */
  long allocatedByWrites(int count) {
    long before = Allocation.ofThisThread();
    for (int i = 0; i < count; i++) {
      write(i % pieces);
    }
    return Allocation.ofThisThread() - before;
  }

  /** Bytes that this thread allocated for {@code count} READs. */
  long allocatedByReads(int count) {
    long before = Allocation.ofThisThread();
    for (int i = 0; i < count; i++) {
      long offset = (long) (i % pieces) * piece;
      run(request.read(i, end.remoteAddress() + offset, end.remoteKey()), offset);
    }
    return Allocation.ofThisThread() - before;
  }

  private void write(int number) {
    long offset = (long) number * piece;
    run(request.write(number, end.remoteAddress() + offset, end.remoteKey()), offset);
  }

  private void run(SendRequest prepared, long offset) {
    prepared.buffer(end.region().address() + offset, piece, end.region().localKey()).signaled();
    end.queuePair().postSend(prepared);
    spin.begin();
    while (end.completions().poll(batch) == 0) {
      spin.idle();
    }
    if (!batch[0].isSuccess()) {
      throw new IntegrationException("1 MiB transfers failed: " + batch[0]);
    }
  }

  /** Megabytes a second, in thousandths, as whole numbers for histograms. */
  static long rate(long bytes, long nanos) {
    return Math.round(bytes * 1e3 / Math.max(1, nanos) * Sample.SCALE);
  }
}
