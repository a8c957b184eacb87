// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

import dev.verbena.memory.DurabilityMethod;
import dev.verbena.memory.PersistentRegion;
import java.util.Set;

/**
 * A device's limits: ibv_query_device(3).
 *
 * @param maxMessage bytes of the longest message
 * @param maxQueueDepth requests of the deepest queue
 * @param maxBuffers buffers a request
 * @param maxInline bytes of inline data a request
 * @param maxPrivateData bytes of private data in a connect
 * @param pathMtu bytes of payload that its port sends in a packet, as it is now; 0 if it has no
 *     packets
 * @param canMapRemote whether {@link QueuePair#mapRemote} can ever succeed
 * @param capabilities what it has of what a device may lack
 */
public record DeviceAttributes(
    long maxMessage,
    int maxQueueDepth,
    int maxBuffers,
    int maxInline,
    int maxPrivateData,
    int pathMtu,
    boolean canMapRemote,
    Set<DeviceCapability> capabilities) {
  /** Keeps a copy. */
  public DeviceAttributes {
    capabilities = Set.copyOf(capabilities);
  }

  /** Whether the device has it. */
  public boolean has(DeviceCapability capability) {
    return capabilities.contains(capability);
  }

  /** Whether windows can open parts of a region, and nothing beside them, to a peer. */
  public boolean hasBoundedWindows() {
    return has(DeviceCapability.MEMORY_WINDOW_TYPE_2B) && has(DeviceCapability.WINDOW_BOUNDS);
  }

  /** Whether a FLUSH of type PERSISTENT can make that memory durable, as its domain says. */
  public boolean canFlush(PersistentRegion memory) {
    return has(DeviceCapability.FLUSH_PERSISTENT)
        && (has(DeviceCapability.FLUSH_ANY_MEMORY) || memory.method() == DurabilityMethod.FLUSH);
  }
}
