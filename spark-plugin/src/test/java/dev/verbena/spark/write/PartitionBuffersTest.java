// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.SparkConf;
import org.apache.spark.memory.SparkOutOfMemoryError;
import org.apache.spark.memory.TaskMemoryManager;
import org.apache.spark.memory.UnifiedMemoryManager;
import org.junit.jupiter.api.Test;

final class PartitionBuffersTest {
  private static final int PARTITIONS = 5;
  private static final long MIB = 1 << 20;

  private final List<ByteArrayOutputStream> written = new ArrayList<>();
  private final List<ByteArrayOutputStream> flushed = new ArrayList<>();
  private int rounds;
  private PartitionBuffers buffers;

  private TaskMemoryManager open(long memory, long budget) {
    SparkConf conf = new SparkConf(false);
    TaskMemoryManager manager =
        new TaskMemoryManager(new UnifiedMemoryManager(conf, memory, 0, 1), 0);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      written.add(new ByteArrayOutputStream());
      flushed.add(new ByteArrayOutputStream());
    }
    buffers = new PartitionBuffers(manager, PARTITIONS, budget, this::flush);
    return manager;
  }

  private void flush() throws IOException {
    rounds++;
    for (int partition = 0; partition < PARTITIONS; partition++) {
      long before = flushed.get(partition).size();
      buffers.drain(partition, flushed.get(partition)::write);
      assertThat(flushed.get(partition).size() - before).isEqualTo(buffers.length(partition));
    }
  }

  private void insert(Random random, int partition, int length) throws IOException {
    byte[] record = new byte[length];
    random.nextBytes(record);
    buffers.insert(partition, record, length);
    written.get(partition).write(record);
  }

  private void assertAllFlushedInOrder() {
    for (int partition = 0; partition < PARTITIONS; partition++) {
      assertThat(flushed.get(partition).toByteArray())
          .isEqualTo(written.get(partition).toByteArray());
    }
  }

  @Test
  void recordsOfEverySizeComeBackByPartitionInOrder() throws IOException {
    open(256 * MIB, 64 * MIB);
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      insert(random, random.nextInt(PARTITIONS), 1 + random.nextInt(500));
    }
    insert(random, 1, 3_000_000);
    insert(random, 1, PartitionBuffers.LARGEST_CHUNK);
    assertThat(rounds).isZero();
    flush();
    assertAllFlushedInOrder();
  }

  @Test
  void theBudgetBoundsWhatIsHeld() throws IOException {
    TaskMemoryManager manager = open(256 * MIB, 2 * MIB);
    Random random = new Random(8);
    for (int i = 0; i < 100_000; i++) {
      insert(random, random.nextInt(PARTITIONS), 200);
      assertThat(buffers.getUsed()).isLessThanOrEqualTo(2 * MIB);
    }
    assertThat(rounds).isGreaterThan(5);
    flush();
    assertAllFlushedInOrder();
    buffers.free();
    assertThat(manager.getMemoryConsumptionForThisTask()).isZero();
  }

  @Test
  void shortMemoryFlushesBeforeTheBudgetDoes() throws IOException {
    open(4 * MIB, 64 * MIB);
    Random random = new Random(9);
    for (int i = 0; i < 60_000; i++) {
      insert(random, i % PARTITIONS, 200);
    }
    assertThat(rounds).isGreaterThan(1);
    flush();
    assertAllFlushedInOrder();
  }

  @Test
  void anotherConsumerGetsTheMemoryBetweenRecords() throws IOException {
    TaskMemoryManager manager = open(8 * MIB, 64 * MIB);
    Random random = new Random(10);
    for (int i = 0; i < 20_000; i++) {
      insert(random, i % PARTITIONS, 200);
    }
    assertThat(rounds).isZero();
    PartitionBuffers other = new PartitionBuffers(manager, 1, 8 * MIB, () -> {});
    other.insert(0, new byte[(int) (6 * MIB)], (int) (6 * MIB));
    assertThat(rounds).isEqualTo(1);
    assertAllFlushedInOrder();
    assertThat(buffers.getUsed()).isZero();
  }

  @Test
  void aRecordThatFitsNowhereIsSparksOutOfMemoryError() {
    open(2 * MIB, 64 * MIB);
    byte[] record = new byte[(int) (4 * MIB)];
    assertThatThrownBy(() -> buffers.insert(0, record, record.length))
        .isInstanceOf(SparkOutOfMemoryError.class);
  }
}
