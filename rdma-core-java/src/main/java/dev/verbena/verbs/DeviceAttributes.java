// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

import java.util.Set;

/**
 * A device's limits: ibv_query_device(3).
 *
 * @param maxMessage bytes of the longest message
 * @param maxQueueDepth requests of the deepest queue
 * @param maxBuffers buffers a request
 * @param maxInline bytes of inline data a request
 * @param maxPrivateData bytes of private data in a connect
 * @param canMapRemote whether {@link QueuePair#mapRemote} can ever succeed
 * @param capabilities what it has of what a device may lack
 */
public record DeviceAttributes(
    long maxMessage,
    int maxQueueDepth,
    int maxBuffers,
    int maxInline,
    int maxPrivateData,
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
}
