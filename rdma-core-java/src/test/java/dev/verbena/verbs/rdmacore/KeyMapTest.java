// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The map against one of the JDK, by seed. */
final class KeyMapTest {
  @Test
  void itBehavesAsAMap() {
    long seed = Long.getLong("verbena.seed", System.nanoTime());
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    KeyMap<Object> map = new KeyMap<>();
    Map<Integer, Object> model = new HashMap<>();
    for (int i = 0; i < 100_000; i++) {
      // Keys of one device: an index and a low byte.
      int key = random.nextInt(300) << 8 | random.nextInt(2);
      if (random.nextInt(5) < 2) {
        Object other = new Object();
        Object ended = random.nextInt(4) == 0 ? other : model.getOrDefault(key, other);
        map.remove(key, ended);
        model.remove(key, ended);
      } else {
        Object value = new Object();
        map.put(key, value);
        model.put(key, value);
      }
      int asked = random.nextInt(300) << 8 | random.nextInt(2);
      assertThat(map.get(asked)).isSameAs(model.get(asked));
    }
  }

  @Test
  void whatCameUnderTheKeyOfWhatEndedStays() {
    KeyMap<String> map = new KeyMap<>();
    map.put(5, "ended");
    map.put(5, "other");
    map.remove(5, "ended");
    assertThat(map.get(5)).isEqualTo("other");
    map.remove(5, "other");
    assertThat(map.get(5)).isNull();
  }

  /** Keys that stay must be found while others come and go and the table grows. */
  @Test
  void whoLooksUpWhileOthersWriteFindsWhatIsThere() {
    KeyMap<Integer> map = new KeyMap<>();
    for (int key = 0; key < 20; key++) {
      map.put(key << 8, key);
    }
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService writer = Executors.newSingleThreadExecutor();
    Future<?> writing = writer.submit(() -> comeAndGo(map, done));
    try {
      for (int i = 0; i < 2_000_000; i++) {
        int key = i % 20;
        assertThat(map.get(key << 8)).isEqualTo(key);
      }
    } finally {
      done.set(true);
      writer.shutdown();
    }
    Await.result("writing", writing);
  }

  private static void comeAndGo(KeyMap<Integer> map, AtomicBoolean done) {
    Integer value = -1;
    while (!done.get()) {
      for (int key = 100; key < 400; key++) {
        map.put(key << 8, value);
      }
      for (int key = 100; key < 400; key++) {
        map.remove(key << 8, value);
      }
    }
  }
}
