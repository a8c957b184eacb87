// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import dev.verbena.spark.interop.Raise;
import dev.verbena.spark.metrics.Carrier;
import dev.verbena.spark.metrics.FallbackReason;
import dev.verbena.spark.metrics.ReadCounters;
import dev.verbena.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;

/**
 * The encoded bytes of blocks, one block after the other as if they were one. Blocks are opened
 * when their turn comes; one that can't be opened is left to the fetcher where that is possible.
 * One thread.
 */
final class RawBlocks extends InputStream {
  private final Iterator<DirectBlock> waiting;
  private final Consumer<WantedBlock> leftover;
  private final ReadCounters counters;
  private final ShuffleReadMetricsReporter metrics;
  private final byte[] one = new byte[1];
  private List<DirectBlock> opened = new ArrayList<>();
  private boolean mayAdvance;
  private InputStream current;
  private long currentLength;
  private boolean countable;
  private long waitNanos;

  RawBlocks(
      Iterator<DirectBlock> waiting,
      Consumer<WantedBlock> leftover,
      ReadCounters counters,
      ShuffleReadMetricsReporter metrics) {
    this.waiting = waiting;
    this.leftover = leftover;
    this.counters = counters;
    this.metrics = metrics;
  }

  /**
   * Starts a stream at the next block that can be opened.
   *
   * @param whole whether it goes on to the last block, or ends with this one
   * @return false if there is none
   */
  boolean start(boolean whole) {
    count();
    mayAdvance = true;
    opened = new ArrayList<>();
    boolean started = advance();
    mayAdvance = whole;
    return started;
  }

  /** The blocks opened since {@link #start}, the current one last. */
  List<DirectBlock> opened() {
    return opened;
  }

  @Override
  public int read() throws IOException {
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (current != null) {
      int got = readCurrent(target, offset, length);
      if (got > 0) {
        currentLength += got;
        return got;
      }
      finishCurrent();
      if (!mayAdvance || !advance()) {
        return -1;
      }
    }
    return -1;
  }

  @Override
  public int available() throws IOException {
    return current == null ? 0 : current.available();
  }

  /** Ends the current block as one that another carrier has to bring: it is not counted. */
  void giveUp() throws IOException {
    close();
    countable = false;
  }

  /**
   * Ends the current block; the next {@link #start} goes on behind it. It is not counted yet, since
   * who looks for corruption closes this stream before it tells of any.
   */
  @Override
  public void close() throws IOException {
    if (current != null) {
      InputStream ended = current;
      current = null;
      ended.close();
      countable = true;
    }
    metrics.incFetchWaitTime(TimeUnit.NANOSECONDS.toMillis(waitNanos));
    waitNanos = 0;
  }

  /** Ends the current block, after which none follows. */
  void finish() throws IOException {
    close();
    count();
  }

  private boolean advance() {
    count();
    while (waiting.hasNext()) {
      DirectBlock next = waiting.next();
      long start = System.nanoTime();
      try {
        current = next.open();
        currentLength = 0;
        opened.add(next);
        return true;
      } catch (StoreException failure) {
        if (!next.source().mayFallBack()) {
          throw Raise.asIs(next.block().fetchFailed(failure.getMessage(), failure));
        }
        counters.fellBack(FallbackReason.of(failure));
        leftover.accept(next.block());
      } finally {
        waitNanos += System.nanoTime() - start;
      }
    }
    return false;
  }

  private int readCurrent(byte[] target, int offset, int length) throws IOException {
    try {
      return current.read(target, offset, length);
    } catch (StoreException failure) {
      throw new IOException(
          "reading " + last().block().id() + ": " + failure.getMessage(), failure);
    }
  }

  private void finishCurrent() throws IOException {
    InputStream ended = current;
    current = null;
    ended.close();
    if (currentLength == 0) {
      WantedBlock block = last().block();
      throw Raise.asIs(
          block.fetchFailed(
              "block " + block.id() + " of " + block.address() + " has no bytes", null));
    }
    countable = true;
  }

  /** Counts the last block once it is sure that it is not given up. */
  private void count() {
    if (!countable) {
      return;
    }
    countable = false;
    Carrier carrier = last().source().carrier();
    metrics.incLocalBlocksFetched(1);
    metrics.incLocalBytesRead(currentLength);
    counters.read(carrier, currentLength);
  }

  private DirectBlock last() {
    return opened.get(opened.size() - 1);
  }
}
