// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

/**
 * What a shared receive queue is made with: ibv_create_srq(3).
 *
 * @param maxRequests RECVs that can be outstanding
 * @param maxBuffers buffers a RECV
 */
public record SharedReceiveQueueAttributes(int maxRequests, int maxBuffers) {
  /** Checks that the limits are positive. */
  public SharedReceiveQueueAttributes {
    if (maxRequests < 1 || maxBuffers < 1) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "shared receive queue of " + maxRequests + " RECVs of " + maxBuffers + " buffers");
    }
  }
}
