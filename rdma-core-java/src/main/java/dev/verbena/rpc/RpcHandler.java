// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

/** Runs the calls of one method. Called by several threads at a time. */
@FunctionalInterface
public interface RpcHandler {
  /**
   * Runs a call: exactly one {@link RpcCall#reply} or {@link RpcCall#fail} must follow, here or
   * later from any thread. If this method throws before that, the caller gets a {@link
   * RemoteFailureException} with {@link RemoteFailureException#HANDLER_THREW}.
   */
  void handle(RpcCall call) throws Exception;
}
