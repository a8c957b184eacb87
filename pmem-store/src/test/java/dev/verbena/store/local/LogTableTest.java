// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.store.pool.Each;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LogTableTest {
  private final LogTable table = new LogTable();
  private final LogTable.Log log = table.open(new LogTable.Key(1, 2));

  @Test
  void aRunInWhichNobodyHasLookedEndsWithItsLog() {
    AtomicInteger looks = new AtomicInteger();
    assertThat(table.putUnsettled(log, looks::incrementAndGet)).isTrue();

    Each.of(table.forget(key -> key.applicationHash() == 1), Runnable::run);

    assertThat(looks).hasValue(1);
    assertThat(table.putUnsettled(log, looks::incrementAndGet)).isFalse();
  }

  @Test
  void ordinalsGoOnBehindThoseOfALogThatWasRemoved() {
    assertThat(table.takeOrdinals(log, 100)).isZero();
    Each.of(table.forget(key -> true), Runnable::run);

    LogTable.Log again = table.open(new LogTable.Key(1, 2));
    assertThat(table.takeOrdinals(again, 1)).isEqualTo(100);
  }
}
