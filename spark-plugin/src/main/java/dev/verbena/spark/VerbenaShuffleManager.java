// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import dev.verbena.spark.conf.ConfigurationException;
import dev.verbena.spark.conf.ShuffleSettings;
import dev.verbena.spark.metrics.CarrierTotals;
import dev.verbena.spark.metrics.FallbackReason;
import dev.verbena.spark.metrics.ReadCounters;
import dev.verbena.spark.metrics.ShuffleSource;
import dev.verbena.spark.metrics.TaskCounters;
import dev.verbena.spark.node.ShuffleNode;
import java.util.Optional;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.BaseShuffleHandle;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleHandle;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.apache.spark.shuffle.sort.SortShuffleWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shuffle over verbs: {@code spark.shuffle.manager=dev.verbena.spark.VerbenaShuffleManager} is
 * all that is needed. Map outputs live in the executor's store; reducers read them from there.
 *
 * <p>It is a {@link SortShuffleManager} because Spark SQL copies each row for any other one, and
 * because it leaves map-side combine to Spark's writers. Where an application uses what needs map
 * outputs in files, it behaves as that class does. Thread-safe.
 */
public final class VerbenaShuffleManager extends SortShuffleManager {
  private static final Logger LOG = LoggerFactory.getLogger(VerbenaShuffleManager.class);

  private final SparkConf conf;
  private final ShuffleSettings settings;
  private final boolean asSortShuffle;
  private final CarrierTotals totals = new CarrierTotals();
  private final ShuffleSource source;
  private final VerbenaBlockResolver resolver;
  private final Optional<DriverSide> driverSide;
  private ExecutorSide executorSide;
  private boolean stopped;

  /**
   * Called by Spark, on the driver and on each executor; in local mode both are one.
   *
   * @throws ConfigurationException for a configuration that can't be run
   */
  public VerbenaShuffleManager(SparkConf conf, boolean isDriver) {
    super(conf);
    this.conf = conf;
    this.settings = ShuffleSettings.read(conf);
    this.asSortShuffle = needsSortShuffle(conf, isDriver);
    this.resolver = new VerbenaBlockResolver(conf, this::node);
    this.source = new ShuffleSource(totals, () -> started().map(node -> node.store().usage()));
    this.driverSide =
        isDriver && !asSortShuffle ? Optional.of(new DriverSide(conf, settings)) : Optional.empty();
    if (!isDriver) {
      registerMetrics();
    }
  }

  private boolean needsSortShuffle(SparkConf conf, boolean isDriver) {
    Optional<IncompatibleFeature> feature = IncompatibleFeature.in(conf);
    if (feature.isEmpty()) {
      return false;
    }
    String what = feature.get().key() + " is set, and " + feature.get().name();
    if (settings.required()) {
      throw new ConfigurationException(
          what
              + " can't be combined with spark.shuffle.verbena.required = 'true': unset one of them"
              + feature.get().remedy());
    }
    if (isDriver) {
      LOG.warn(
          "{} needs Spark's sort shuffle: this application runs without Verbena's{}",
          what,
          feature.get().remedy());
      totals.fellBack(FallbackReason.SORT_SHUFFLE);
    }
    return true;
  }

  /**
   * Metrics are named by the application's id, which the driver learns after the manager is made.
   */
  void registerMetrics() {
    SparkEnv.get().metricsSystem().registerSource(source);
  }

  @Override
  public <K, V, C> ShuffleHandle registerShuffle(
      int shuffle, ShuffleDependency<K, V, C> dependency) {
    if (asSortShuffle) {
      return super.registerShuffle(shuffle, dependency);
    }
    TaskCounters counters =
        driverSide
            .orElseThrow(() -> new IllegalStateException("shuffles are registered on the driver"))
            .counters(dependency.rdd().sparkContext());
    boolean relocatable = SortShuffleManager.canUseSerializedShuffle(dependency);
    if (relocatable && settings.writer().direct()) {
      return new VerbenaSerializedHandle<>(shuffle, uncombined(dependency), counters);
    }
    if (SortShuffleWriter.shouldBypassMergeSort(conf, dependency)) {
      return new VerbenaBypassHandle<>(shuffle, uncombined(dependency), counters);
    }
    return relocatable
        ? new VerbenaSerializedHandle<>(shuffle, uncombined(dependency), counters)
        : new VerbenaBaseHandle<>(shuffle, dependency, counters);
  }

  /** Without map-side combine the combined type is the value's, as far as writers care. */
  @SuppressWarnings("unchecked")
  private static <K, V, C> ShuffleDependency<K, V, V> uncombined(
      ShuffleDependency<K, V, C> dependency) {
    return (ShuffleDependency<K, V, V>) (ShuffleDependency<?, ?, ?>) dependency;
  }

  @Override
  public <K, V> ShuffleWriter<K, V> getWriter(
      ShuffleHandle handle, long mapId, TaskContext context, ShuffleWriteMetricsReporter metrics) {
    if (handle instanceof VerbenaSerializedHandle<?, ?> serialized) {
      @SuppressWarnings("unchecked")
      ShuffleDependency<K, V, V> dependency =
          (ShuffleDependency<K, V, V>) (ShuffleDependency<?, ?, ?>) serialized.dependency();
      ExecutorSide here = executorSide();
      if (here.writers().suit(dependency.partitioner().numPartitions())) {
        return here.writers()
            .create(
                dependency,
                mapId,
                context,
                metrics,
                SparkEnv.get().blockManager(),
                here.node()::openMapOutput);
      }
    }
    return super.getWriter(handle, mapId, context, metrics);
  }

  @Override
  public <K, C> ShuffleReader<K, C> getReader(
      ShuffleHandle handle,
      int startMapIndex,
      int endMapIndex,
      int startPartition,
      int endPartition,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    if (!(handle instanceof CountedHandle counted)) {
      return super.getReader(
          handle, startMapIndex, endMapIndex, startPartition, endPartition, context, metrics);
    }
    @SuppressWarnings("unchecked")
    ShuffleDependency<K, ?, C> dependency = ((BaseShuffleHandle<K, ?, C>) handle).dependency();
    ExecutorSide here = executorSide();
    return here.readers()
        .create(
            here.node(),
            dependency,
            SparkEnv.get()
                .mapOutputTracker()
                .getMapSizesByExecutorId(
                    handle.shuffleId(), startMapIndex, endMapIndex, startPartition, endPartition),
            SortShuffleManager.canUseBatchFetch(startPartition, endPartition, context),
            context,
            metrics,
            ReadCounters.both(counted.counters(), totals));
  }

  @Override
  public boolean unregisterShuffle(int shuffle) {
    boolean known = super.unregisterShuffle(shuffle);
    if (started().isPresent()) {
      resolver.removeShuffle(shuffle);
    }
    return known;
  }

  @Override
  public IndexShuffleBlockResolver shuffleBlockResolver() {
    // The superclass asks for its own while it is being constructed.
    return asSortShuffle || resolver == null ? super.shuffleBlockResolver() : resolver;
  }

  @Override
  public void stop() {
    ExecutorSide here;
    synchronized (this) {
      stopped = true;
      here = executorSide;
    }
    if (here != null) {
      here.close();
    }
    super.stop();
  }

  /** This executor's store and its links, started at the first call. */
  ShuffleNode node() {
    return executorSide().node();
  }

  private synchronized ExecutorSide executorSide() {
    if (stopped) {
      throw new IllegalStateException("the shuffle of this executor was stopped");
    }
    if (executorSide == null) {
      executorSide = new ExecutorSide(conf, settings);
    }
    return executorSide;
  }

  private synchronized Optional<ShuffleNode> started() {
    return Optional.ofNullable(executorSide).map(ExecutorSide::node);
  }
}
