// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.memory.DurabilityMethod;
import java.nio.file.Path;

/** What backs a pool, and so the most it can promise. */
public enum PoolKind {
  /** A file in a file system in memory: survives its process. */
  MEMORY(DurabilityDomain.PROCESS, DurabilityMethod.NONE),
  /** A file on disk: survives power loss after msync. */
  FILE(DurabilityDomain.POWER, DurabilityMethod.MSYNC),
  /**
   * A file of a DAX file system in persistent memory, mapped with MAP_SYNC: survives power loss
   * once its cache lines are written back.
   */
  FSDAX(DurabilityDomain.POWER, DurabilityMethod.FLUSH),
  /**
   * A device of persistent memory without a file system, {@code /dev/daxX.Y}, which the native
   * library maps: survives power loss once its cache lines are written back. Never ephemeral.
   */
  DEVDAX(DurabilityDomain.POWER, DurabilityMethod.FLUSH);

  private final DurabilityDomain ceiling;
  private final DurabilityMethod method;

  PoolKind(DurabilityDomain ceiling, DurabilityMethod method) {
    this.ceiling = ceiling;
    this.method = method;
  }

  /** The highest domain that can be asked for. */
  public DurabilityDomain ceiling() {
    return ceiling;
  }

  /**
   * Checks that a pool of this kind can be as ephemeral as it is to be.
   *
   * @throws StoreException INVALID_ARGUMENT if a device is to end with its owner
   */
  public void requireKept(Path pool, boolean ephemeral) {
    if (this == DEVDAX && ephemeral) {
      throw new StoreException(
          StoreException.Code.INVALID_ARGUMENT,
          "pool "
              + pool
              + " of kind DEVDAX: ephemeral is true, expected false: a device can't be unlinked");
    }
  }

  /** How bytes reach {@code domain}: nothing is done where the page cache is enough. */
  public DurabilityMethod methodFor(DurabilityDomain domain) {
    return domain == DurabilityDomain.PROCESS ? DurabilityMethod.NONE : method;
  }
}
