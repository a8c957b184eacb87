// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

/**
 * A device's limits: ibv_query_device(3).
 *
 * @param maxMessage bytes of the longest message
 * @param maxQueueDepth requests of the deepest queue
 * @param maxBuffers buffers a request
 * @param maxInline bytes of inline data a request
 * @param maxPrivateData bytes of private data in a connect
 * @param canMapRemote whether {@link QueuePair#mapRemote} can ever succeed
 */
public record DeviceAttributes(
    long maxMessage,
    int maxQueueDepth,
    int maxBuffers,
    int maxInline,
    int maxPrivateData,
    boolean canMapRemote) {}
