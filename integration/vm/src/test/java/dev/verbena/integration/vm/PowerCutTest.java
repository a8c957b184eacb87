// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.vm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.store.local.LogEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What {@link PowerCutLoad} left, looked at by the next boot on the same NVDIMM. That QEMU is
 * killed takes nothing of what was stored, flushed or not: this shows recovery, and that nothing is
 * acknowledged too early. That flushes are where they belong is shown by simulation and mutation.
 */
final class PowerCutTest {
  private static final Path ACKNOWLEDGED = Path.of("/out/acknowledged");
  private static final Path DIRECTORY = Path.of("/pmem");

  @Test
  void everyAcknowledgedAppendIsThereAndWholeAndAtMostOneMore() throws IOException {
    long seed = Long.parseLong(Files.readString(Path.of("/out/seed")).strip());
    DurableAppends appends = new DurableAppends(DIRECTORY, seed);
    int acknowledged = acknowledged();
    try (LocalBlockStore store = LocalBlockStore.open(appends.store())) {
      List<LogEntry> entries = store.logs().entries(DurableAppends.APPLICATION, DurableAppends.LOG);
      System.out.printf(
          "power cut after %d acknowledgements, seed %d: %d entries found%n",
          acknowledged, seed, entries.size());
      assertThat(entries).hasSizeBetween(acknowledged, acknowledged + 1);
      for (int number = 0; number < entries.size(); number++) {
        assertThat(entries.get(number).read()).contains(appends.entry(number));
      }
    }
  }

  /** How many there are, which are counted up; the last line may be cut short. */
  private static int acknowledged() throws IOException {
    String text = Files.readString(ACKNOWLEDGED);
    List<String> whole = text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    assertThat(whole).isNotEmpty();
    for (int number = 0; number < whole.size(); number++) {
      assertThat(whole.get(number)).isEqualTo(Integer.toString(number));
    }
    return whole.size();
  }
}
