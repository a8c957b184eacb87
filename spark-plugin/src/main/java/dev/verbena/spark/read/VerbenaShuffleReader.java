// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import java.util.function.Supplier;
import org.apache.spark.Aggregator;
import org.apache.spark.InterruptibleIterator;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.checksum.RowBasedChecksum;
import org.apache.spark.util.collection.ExternalSorter;
import scala.Option;
import scala.Product2;
import scala.collection.Iterator;

/**
 * Reads a reduce task's range: the records of its blocks, combined and sorted as the dependency
 * asks for. What follows the records is Spark's {@code BlockStoreShuffleReader.read}, which is tied
 * to Spark's own client.
 *
 * @param <K> key
 * @param <C> combined value
 */
final class VerbenaShuffleReader<K, C> implements ShuffleReader<K, C> {
  private final ShuffleDependency<K, Object, C> dependency;
  private final TaskContext context;
  private final Supplier<Iterator<Product2<Object, Object>>> records;

  /**
   * Creates a reader.
   *
   * @param records starts reading the blocks
   */
  VerbenaShuffleReader(
      ShuffleDependency<K, Object, C> dependency,
      TaskContext context,
      Supplier<Iterator<Product2<Object, Object>>> records) {
    this.dependency = dependency;
    this.context = context;
    this.records = records;
  }

  @Override
  public Iterator<Product2<K, C>> read() {
    Iterator<Product2<Object, Object>> interruptible =
        new InterruptibleIterator<>(context, records.get());
    Iterator<Product2<K, C>> result =
        dependency.keyOrdering().isDefined() ? sort(interruptible) : combine(interruptible);
    return result instanceof InterruptibleIterator<?>
        ? result
        : new InterruptibleIterator<>(context, result);
  }

  @SuppressWarnings("unchecked")
  private Iterator<Product2<K, C>> sort(Iterator<Product2<Object, Object>> input) {
    if (dependency.aggregator().isDefined() && dependency.mapSideCombine()) {
      Aggregator<K, Object, C> aggregator = dependency.aggregator().get();
      Aggregator<K, C, C> merging =
          new Aggregator<>(
              value -> value, aggregator.mergeCombiners(), aggregator.mergeCombiners());
      return this.<C>sorter(Option.apply(merging))
          .insertAllAndUpdateMetrics((Iterator<Product2<K, C>>) (Iterator<?>) input);
    }
    return this.<Object>sorter(dependency.aggregator())
        .insertAllAndUpdateMetrics((Iterator<Product2<K, Object>>) (Iterator<?>) input);
  }

  private <V> ExternalSorter<K, V, C> sorter(Option<Aggregator<K, V, C>> aggregator) {
    return new ExternalSorter<>(
        context,
        aggregator,
        Option.empty(),
        dependency.keyOrdering(),
        dependency.serializer(),
        new RowBasedChecksum[0]);
  }

  @SuppressWarnings("unchecked")
  private Iterator<Product2<K, C>> combine(Iterator<Product2<Object, Object>> input) {
    if (dependency.aggregator().isEmpty()) {
      return (Iterator<Product2<K, C>>) (Iterator<?>) input;
    }
    Aggregator<K, Object, C> aggregator = dependency.aggregator().get();
    Iterator<?> combined =
        dependency.mapSideCombine()
            ? aggregator.combineCombinersByKey(
                (Iterator<Product2<K, C>>) (Iterator<?>) input, context)
            : aggregator.combineValuesByKey(
                (Iterator<Product2<K, Object>>) (Iterator<?>) input, context);
    return (Iterator<Product2<K, C>>) combined;
  }
}
