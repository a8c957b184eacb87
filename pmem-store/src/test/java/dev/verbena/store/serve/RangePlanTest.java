// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreException;
import dev.verbena.store.manifest.Manifest;
import dev.verbena.store.manifest.ManifestBuilder;
import dev.verbena.store.manifest.ManifestBytes;
import dev.verbena.store.manifest.Segment;
import org.junit.jupiter.api.Test;

final class RangePlanTest {
  @Test
  void aManifestWhoseLengthsDoNotAddUpIsCorrupt() {
    ManifestBuilder builder = new ManifestBuilder("app", 1);
    for (int i = 0; i < 2; i++) {
      builder.add(new Segment(4096, 64, 9, Long.MAX_VALUE, 0, 1), new long[] {0, Long.MAX_VALUE});
    }
    Manifest crafted = Manifest.read(ManifestBytes.of(builder.build(new long[0])));
    MapOutputKey key = new MapOutputKey("app", 1, 2);

    assertThatThrownBy(
            () -> RangePlan.of(new BlockRange(key, 0, 1), new RemoteOutput(key, crafted)))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.code()).isEqualTo(StoreException.Code.CORRUPT))
        .hasMessageContaining("add up to no length");
  }
}
