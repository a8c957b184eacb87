// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.bench.ShuffleProtocol.Reply;
import dev.verbena.integration.sidebyside.JobMetrics;
import dev.verbena.integration.sidebyside.SparkSubject;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** What must hold for two runs to be the same work, done over the carrier asked for. */
final class ShuffleChecks {
  /** Compressed bytes of equal rows may differ by where the writers cut their frames. */
  private static final double BYTES_TOLERANCE = 0.01;

  private ShuffleChecks() {}

  /** What is wrong with a run, in words; empty if nothing is. */
  static List<String> ofRun(ShuffleCase what, SparkSubject subject, Reply run) {
    List<String> faults = new ArrayList<>();
    JobMetrics metrics = run.metrics();
    mustBe(faults, "records written", metrics.shuffle().recordsWritten(), what.rows());
    mustBe(faults, "records read", metrics.shuffle().recordsRead(), what.rows());
    mustBe(faults, "bytes read", metrics.shuffle().bytesRead(), metrics.shuffle().bytesWritten());
    mustBe(faults, "failed tasks", metrics.tasks().failed(), 0);
    mustBe(faults, "repeated stages", metrics.tasks().stageRetries(), 0);
    if (run.digest() != null) {
      mustBe(faults, "rows that came out", run.digest().rows(), what.rows());
    }
    faults.addAll(subject.faults(metrics));
    return faults;
  }

  /** What differs between two runs of one case. */
  static List<String> ofPair(Reply ours, Reply rival) {
    List<String> faults = new ArrayList<>();
    if (!Objects.equals(ours.digest(), rival.digest())) {
      faults.add("rows differ: " + ours.digest() + " against " + rival.digest());
    }
    long bytes = ours.metrics().shuffle().bytesWritten();
    long rivalBytes = rival.metrics().shuffle().bytesWritten();
    if (Math.abs(bytes - rivalBytes) > BYTES_TOLERANCE * rivalBytes) {
      faults.add("bytes written differ: " + bytes + " against " + rivalBytes);
    }
    return faults;
  }

  private static void mustBe(List<String> faults, String what, long is, long shouldBe) {
    if (is != shouldBe) {
      faults.add(what + ": " + is + ", should be " + shouldBe);
    }
  }
}
