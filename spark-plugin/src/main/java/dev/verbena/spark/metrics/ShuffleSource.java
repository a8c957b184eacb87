// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.metrics;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import dev.verbena.store.StoreUsage;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.apache.spark.metrics.source.Source;

/** Gauges of one process for Spark's metrics system, under {@code verbena.shuffle}. */
public final class ShuffleSource implements Source {
  private final MetricRegistry registry = new MetricRegistry();

  /**
   * Creates the gauges.
   *
   * @param totals what the process read
   * @param usage what its store holds; empty while it has none
   */
  public ShuffleSource(CarrierTotals totals, Supplier<Optional<StoreUsage>> usage) {
    for (Carrier carrier : Carrier.values()) {
      gauge("bytes." + carrier.label(), () -> totals.bytes(carrier));
      gauge("blocks." + carrier.label(), () -> totals.blocks(carrier));
    }
    for (FallbackReason reason : FallbackReason.values()) {
      gauge("fallbacks." + reason.label(), () -> totals.fallbacks(reason));
    }
    ofStore("store.size", usage, StoreUsage::size);
    ofStore("store.used", usage, StoreUsage::used);
    ofStore("store.blockBytes", usage, StoreUsage::blockBytes);
    ofStore("store.mapOutputs", usage, StoreUsage::mapOutputs);
    ofStore("store.overflowed", usage, held -> held.overflowed() ? 1 : 0);
  }

  private void ofStore(
      String name, Supplier<Optional<StoreUsage>> usage, ToLongFunction<StoreUsage> value) {
    gauge(name, () -> usage.get().map(value::applyAsLong).orElse(0L));
  }

  private void gauge(String name, Gauge<Long> value) {
    registry.register(name, value);
  }

  @Override
  public String sourceName() {
    return "verbena.shuffle";
  }

  @Override
  public MetricRegistry metricRegistry() {
    return registry;
  }
}
