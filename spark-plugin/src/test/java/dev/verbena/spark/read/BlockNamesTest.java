// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;
import org.apache.spark.storage.ShuffleDataBlockId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockNamesTest {
  private static final BlockManagerId NOWHERE = null;

  @Test
  void aNameStandsForWhatTheBlockIdStandsFor() {
    same(new ShuffleBlockId(3, 5_000_000_000L, 7));
    same(new ShuffleBlockBatchId(3, 4, 7, 12));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "shuffle", "shuffle_1_2", "shuffle_1_2_3_4_5", "rdd_1_2_3"})
  void anotherNameIsRefused(String name) {
    assertThatThrownBy(() -> BlockNames.range("app", name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not the name");
  }

  @Test
  void theNameOfAFileIsRefused() {
    String name = new ShuffleDataBlockId(1, 2, 3).name();
    assertThatThrownBy(() -> BlockNames.range("app", name))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static void same(BlockId id) {
    assertThat(BlockNames.range("app", id.name()))
        .isEqualTo(new WantedBlock(id, 0, 0, NOWHERE).range("app"));
  }
}
