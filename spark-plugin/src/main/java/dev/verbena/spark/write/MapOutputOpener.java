// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.write;

import dev.verbena.store.MapOutputWriter;

/** Opens map outputs of the application in the executor's store. Thread-safe. */
@FunctionalInterface
public interface MapOutputOpener {
  /** Starts the output of a map task attempt. */
  MapOutputWriter open(int shuffle, long mapId, int partitions);
}
