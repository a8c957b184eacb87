// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The map against one of the JDK, by seed. */
final class HandleMapTest {
  @Test
  void itBehavesAsAMap() {
    long seed = Long.getLong("verbena.seed", System.nanoTime());
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    HandleMap map = new HandleMap();
    Map<Integer, Long> model = new HashMap<>();
    for (int i = 0; i < 100_000; i++) {
      // Keys of one device: an index and a low byte.
      int key = random.nextInt(300) << 8 | random.nextInt(2);
      if (random.nextInt(5) < 2) {
        long handle = random.nextInt(4) == 0 ? 1L << 40 : model.getOrDefault(key, 1L);
        map.remove(key, handle);
        model.remove(key, handle);
      } else {
        long handle = 1L + random.nextInt(Integer.MAX_VALUE);
        map.put(key, handle);
        model.put(key, handle);
      }
      int asked = random.nextInt(300) << 8 | random.nextInt(2);
      assertThat(map.get(asked)).isEqualTo(model.getOrDefault(asked, 0L));
    }
  }

  @Test
  void whatCameUnderTheKeyOfWhatEndedStays() {
    HandleMap map = new HandleMap();
    map.put(5, 100);
    map.put(5, 200);
    map.remove(5, 100);
    assertThat(map.get(5)).isEqualTo(200);
    map.remove(5, 200);
    assertThat(map.get(5)).isZero();
  }
}
