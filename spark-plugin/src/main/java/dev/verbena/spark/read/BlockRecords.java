// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import dev.verbena.spark.interop.Raise;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.storage.BlockId;
import org.apache.spark.util.TaskCompletionListener;
import scala.Product2;
import scala.Tuple2;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;

/**
 * The records of all blocks of a task: first those read directly, while requests for the others are
 * under way, then the fetched ones, then those that could not be read directly after all.
 */
final class BlockRecords extends AbstractIterator<Product2<Object, Object>> {
  private final TaskContext context;
  private final ShuffleReadMetricsReporter metrics;
  private final SerializerInstance serializer;
  private final BlockFetcher fetcher;
  private final DirectReads direct;

  private Iterator<Tuple2<BlockId, InputStream>> fetched;
  private boolean directDone;
  private boolean leftoversStarted;
  private Iterator<Tuple2<Object, Object>> records = emptyRecords();
  private boolean finished;

  BlockRecords(
      TaskContext context,
      ShuffleReadMetricsReporter metrics,
      SerializerInstance serializer,
      BlockFetcher fetcher,
      DirectReads direct,
      List<WantedBlock> toFetch) {
    this.context = context;
    this.metrics = metrics;
    this.serializer = serializer;
    this.fetcher = fetcher;
    this.direct = direct;
    TaskCompletionListener close = ended -> closeDirect();
    context.addTaskCompletionListener(close);
    this.fetched = fetcher.fetch(toFetch);
  }

  @Override
  public boolean hasNext() {
    while (!records.hasNext()) {
      Optional<InputStream> stream = nextStream();
      if (stream.isEmpty()) {
        finish();
        return false;
      }
      records = serializer.deserializeStream(stream.get()).asKeyValueIterator();
    }
    return true;
  }

  @Override
  public Product2<Object, Object> next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    metrics.incRecordsRead(1);
    return records.next();
  }

  private Optional<InputStream> nextStream() {
    if (!directDone) {
      Optional<InputStream> stream = nextDirect();
      if (stream.isPresent()) {
        return stream;
      }
      directDone = true;
    }
    if (!fetched.hasNext() && !leftoversStarted) {
      leftoversStarted = true;
      if (!direct.leftovers().isEmpty()) {
        fetched = fetcher.fetch(direct.leftovers());
      }
    }
    return fetched.hasNext() ? Optional.of(fetched.next()._2()) : Optional.empty();
  }

  private Optional<InputStream> nextDirect() {
    try {
      return direct.next();
    } catch (IOException failure) {
      throw Raise.asIs(failure);
    }
  }

  private void finish() {
    if (!finished) {
      finished = true;
      records = emptyRecords();
      context.taskMetrics().mergeShuffleReadMetrics();
    }
  }

  private void closeDirect() {
    try {
      direct.close();
    } catch (IOException failure) {
      throw Raise.asIs(failure);
    }
  }

  @SuppressWarnings("unchecked")
  private static Iterator<Tuple2<Object, Object>> emptyRecords() {
    return (Iterator<Tuple2<Object, Object>>)
        (Iterator<?>) scala.collection.Iterator$.MODULE$.empty();
  }
}
