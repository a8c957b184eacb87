// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.integration.bench.ShuffleProtocol.Reply;
import dev.verbena.integration.sidebyside.JobMetrics;
import dev.verbena.integration.sidebyside.JobMetrics.CarrierTotals;
import dev.verbena.integration.sidebyside.JobMetrics.ShuffleTotals;
import dev.verbena.integration.sidebyside.JobMetrics.TaskTotals;
import dev.verbena.integration.sidebyside.SparkSubject;
import dev.verbena.integration.sidebyside.SparkSubject.ReadPath;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ShuffleChecksTest {
  private static final ShuffleCase WHAT = ShuffleCase.of(2, 3, 100);
  private static final SparkSubject STOCK = SparkSubject.vanilla("vanilla");
  private static final SparkSubject OURS =
      SparkSubject.verbena("verbena", Path.of("verbena.jar"), ReadPath.read, null);
  private static final RowDigest DIGEST = new RowDigest(100, 7);

  @Test
  void equalRunsAreWithoutFault() {
    Reply ours = reply(DIGEST, 100, 100, 4000, 4000, Map.of("own", 2000L, "shm", 2000L), Map.of());
    Reply rival = reply(DIGEST, 100, 100, 4000, 4000, Map.of(), Map.of());
    assertThat(ShuffleChecks.ofRun(WHAT, OURS, ours)).isEmpty();
    assertThat(ShuffleChecks.ofRun(WHAT, STOCK, rival)).isEmpty();
    assertThat(ShuffleChecks.ofPair(ours, rival)).isEmpty();
  }

  @Test
  void aRecordThatIsNotWrittenOrNotReadIsAFault() {
    assertThat(ShuffleChecks.ofRun(WHAT, STOCK, counts(99, 100)))
        .containsExactly("records written: 99, should be 100");
    assertThat(ShuffleChecks.ofRun(WHAT, STOCK, counts(100, 101)))
        .containsExactly("records read: 101, should be 100");
  }

  @Test
  void bytesThatAreNotReadAreAFault() {
    Reply run = reply(DIGEST, 100, 100, 4000, 3999, Map.of(), Map.of());
    assertThat(ShuffleChecks.ofRun(WHAT, STOCK, run))
        .containsExactly("bytes read: 3999, should be 4000");
  }

  @Test
  void rowsThatDifferAreAFault() {
    Reply other = reply(new RowDigest(100, 8), 100, 100, 4000, 4000, Map.of(), Map.of());
    assertThat(ShuffleChecks.ofPair(counts(100, 100), other))
        .singleElement()
        .asString()
        .contains("checksum=7", "checksum=8");
    Reply fewer = reply(new RowDigest(99, 7), 100, 100, 4000, 4000, Map.of(), Map.of());
    assertThat(ShuffleChecks.ofRun(WHAT, STOCK, fewer))
        .containsExactly("rows that came out: 99, should be 100");
  }

  @Test
  void bytesWrittenMayDifferByOnePercent() {
    Reply rival = counts(100, 100);
    Reply within = reply(DIGEST, 100, 100, 4040, 4040, Map.of(), Map.of());
    Reply beyond = reply(DIGEST, 100, 100, 3959, 3959, Map.of(), Map.of());
    assertThat(ShuffleChecks.ofPair(within, rival)).isEmpty();
    assertThat(ShuffleChecks.ofPair(beyond, rival))
        .containsExactly("bytes written differ: 3959 against 4000");
  }

  @Test
  void anotherCarrierAndAFallbackAreFaults() {
    Reply run =
        reply(
            DIGEST,
            100,
            100,
            4000,
            4000,
            Map.of("shm", 3900L, "netty", 100L),
            Map.of("connect refused", 1L));
    assertThat(ShuffleChecks.ofRun(WHAT, OURS, run)).hasSize(2);
  }

  private static Reply counts(long written, long read) {
    return reply(DIGEST, written, read, 4000, 4000, Map.of(), Map.of());
  }

  private static Reply reply(
      RowDigest digest,
      long recordsWritten,
      long recordsRead,
      long bytesWritten,
      long bytesRead,
      Map<String, Long> carriers,
      Map<String, Long> fallbacks) {
    JobMetrics metrics =
        new JobMetrics(
            new TaskTotals(5, 0, 0, 0, 0, 0, 0),
            new ShuffleTotals(bytesWritten, recordsWritten, 0, recordsRead, 0, bytesRead, 0, 0, 0),
            new CarrierTotals(new TreeMap<>(carriers), new TreeMap<>(), new TreeMap<>(fallbacks)));
    return new Reply(null, digest, 1, 1, 1, 1, 1, 0, metrics);
  }
}
