// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.metrics;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What one process read and why it fell back, since its start. Thread-safe. */
public final class CarrierTotals implements ReadCounters {
  private final Map<Carrier, LongAdder> blocks = new EnumMap<>(Carrier.class);
  private final Map<Carrier, LongAdder> bytes = new EnumMap<>(Carrier.class);
  private final Map<FallbackReason, LongAdder> fallbacks = new EnumMap<>(FallbackReason.class);

  /** All zero. */
  public CarrierTotals() {
    for (Carrier carrier : Carrier.values()) {
      blocks.put(carrier, new LongAdder());
      bytes.put(carrier, new LongAdder());
    }
    for (FallbackReason reason : FallbackReason.values()) {
      fallbacks.put(reason, new LongAdder());
    }
  }

  @Override
  public void read(Carrier carrier, long length) {
    blocks.get(carrier).increment();
    bytes.get(carrier).add(length);
  }

  @Override
  public void fellBack(FallbackReason reason) {
    fallbacks.get(reason).increment();
  }

  /** Blocks that a carrier brought. */
  public long blocks(Carrier carrier) {
    return blocks.get(carrier).sum();
  }

  /** Bytes that a carrier brought. */
  public long bytes(Carrier carrier) {
    return bytes.get(carrier).sum();
  }

  /** How often something fell back for a reason. */
  public long fallbacks(FallbackReason reason) {
    return fallbacks.get(reason).sum();
  }
}
