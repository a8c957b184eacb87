// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.spark;

import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import scala.collection.Iterator;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * An RDD's partitions, each of which is asked for only after another executor was killed.
 *
 * @param <T> element
 */
final class GatedRdd<T> extends RDD<T> {
  private static final long serialVersionUID = 1L;

  private final Signals signals;
  private final boolean kills;

  GatedRdd(RDD<T> parent, Signals signals, boolean kills) {
    super(parent, any());
    this.signals = signals;
    this.kills = kills;
  }

  private static <T> ClassTag<T> any() {
    return ClassTag$.MODULE$.apply(Object.class);
  }

  @Override
  public Iterator<T> compute(Partition split, TaskContext context) {
    if (kills) {
      ExecutorLoss.askToKill(signals);
    }
    return parent().iterator(split, context);
  }

  @Override
  public Partition[] getPartitions() {
    return parent().partitions();
  }

  private RDD<T> parent() {
    return firstParent(any());
  }
}
