// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import java.util.Map;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import scala.jdk.javaapi.CollectionConverters;

/** Sums what tasks added to each named accumulator with a number in it. */
final class AccumulableSums extends SparkListener {
  private final Map<String, Long> sums;

  AccumulableSums(Map<String, Long> sums) {
    this.sums = sums;
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    for (AccumulableInfo info : CollectionConverters.asJava(end.taskInfo().accumulables())) {
      if (info.name().isDefined()
          && info.update().isDefined()
          && info.update().get() instanceof Number update) {
        sums.merge(info.name().get(), update.longValue(), Long::sum);
      }
    }
  }
}
