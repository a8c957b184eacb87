// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

import java.util.List;
import java.util.Optional;

/**
 * Map outputs by key, in one or more pools. Thread-safe. Every method but {@link #usage}, {@link
 * #usedBy} and {@link #close} throws {@link StoreException} CLOSED after closing.
 */
public interface BlockStore extends AutoCloseable {
  /**
   * Starts a map output.
   *
   * @param partitions number of partitions, at least 1
   */
  MapOutputWriter openMapOutput(MapOutputKey key, int partitions);

  /** Finds a committed map output and pins it; the caller closes it. */
  Optional<StoredMapOutput> find(MapOutputKey key);

  /** The committed map outputs of an application, in no order. */
  List<MapOutputKey> mapOutputs(String application);

  /** Removes a map output; its space returns when the last pin goes. False if there is none. */
  boolean removeMapOutput(MapOutputKey key);

  /** Removes all outputs of a shuffle and returns how many there were. */
  int removeShuffle(String application, int shuffle);

  /** Removes all outputs of an application and returns how many there were. */
  int removeApplication(String application);

  /**
   * Bytes that an application uses, whole chunks counted: what its outputs and open writers take
   * up, removed outputs with pins included. This is what its quota is compared with.
   */
  long usedBy(String application);

  /** What is used and what is left. */
  StoreUsage usage();

  /**
   * Closes the pools; ephemeral ones are unlinked. Waits for pins up to the configured deadline; if
   * some are left then, the mapping is left in place for them (and a warning says so).
   */
  @Override
  void close();
}
