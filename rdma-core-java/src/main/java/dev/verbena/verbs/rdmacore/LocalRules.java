// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.SendRequest.Operation;

/**
 * What a queue pair's own device must refuse of a request, found when it is posted. For devices
 * that find it late and do not tell what it was: soft-RoCE (kernel 6.12) reads an atomic's buffers
 * when its target has changed already, invalidates windows of other queue pairs, and ends all of
 * them as flushed.
 */
final class LocalRules {
  private final RdmaProtectionDomain domain;
  private final RdmaDevice device;

  LocalRules(RdmaProtectionDomain domain) {
    this.domain = domain;
    this.device = domain.device();
  }

  /** How the request must end; null if nothing speaks against it. */
  CompletionStatus refusal(SendRequest request, RdmaQueuePair at) {
    return switch (request.operation()) {
      case BIND_WINDOW -> canBind(request) ? null : CompletionStatus.MEMORY_WINDOW_BIND_ERROR;
      case LOCAL_INVALIDATE ->
          canInvalidate(request, at) ? null : CompletionStatus.LOCAL_QP_OPERATION_ERROR;
      default -> hasItsBuffers(request) ? null : CompletionStatus.LOCAL_PROTECTION_ERROR;
    };
  }

  private boolean hasItsBuffers(SendRequest request) {
    boolean written = bringsData(request.operation());
    for (int i = 0; i < request.bufferCount(); i++) {
      int length = request.bufferLength(i);
      if (length != 0 && !isOwn(request.bufferKey(i), request.bufferAddress(i), length, written)) {
        return false;
      }
    }
    return true;
  }

  /** Whether the device may write all buffers of a RECV. */
  boolean canReceive(ReceiveRequest request) {
    for (int i = 0; i < request.bufferCount(); i++) {
      int length = request.bufferLength(i);
      if (length != 0 && !isOwn(request.bufferKey(i), request.bufferAddress(i), length, true)) {
        return false;
      }
    }
    return true;
  }

  private boolean isOwn(int key, long address, int length, boolean written) {
    RdmaMemoryRegion region = device.region(key);
    return region != null
        && region.domain() == domain
        && region.holds(address, Integer.toUnsignedLong(length))
        && (!written || region.allows(AccessCodes.LOCAL_WRITE));
  }

  private static boolean bringsData(Operation operation) {
    return switch (operation) {
      case READ, COMPARE_AND_SWAP, FETCH_AND_ADD -> true;
      default -> false;
    };
  }

  private boolean canBind(SendRequest request) {
    RdmaMemoryWindow window = device.window(request.windowKey());
    RdmaMemoryRegion region = device.region(request.remoteKey());
    int access = AccessCodes.of(request.bindAccess());
    return window != null
        && region != null
        && window.domain() == domain
        && region.domain() == domain
        && !window.hasUsed(request.windowKey())
        && region.allows(AccessCodes.WINDOW_BIND)
        && region.holds(request.remoteAddress(), request.bindLength())
        && (!AccessCodes.changesMemory(access) || region.allows(AccessCodes.LOCAL_WRITE))
        && (region.isPersistent() || (access & AccessCodes.FLUSH_PERSISTENT) == 0);
  }

  private boolean canInvalidate(SendRequest request, RdmaQueuePair queuePair) {
    RdmaMemoryWindow window = device.window(request.windowKey());
    return window != null && window.isBoundAt(queuePair, request.windowKey());
  }

  /** Notes what a request that goes to the device does to its window. */
  void posted(SendRequest request, RdmaQueuePair queuePair) {
    RdmaMemoryWindow window =
        isOfWindow(request.operation()) ? device.window(request.windowKey()) : null;
    RdmaMemoryRegion region = device.region(request.remoteKey());
    if (window == null) {
      return;
    }
    if (request.operation() == Operation.LOCAL_INVALIDATE) {
      window.setOpen(request.windowKey(), false);
    } else if (region != null) {
      window.bound(queuePair, region, request.windowKey());
    }
  }

  /** Takes back what {@link #posted} noted of a request that did not run. */
  void failed(Operation operation, int windowKey) {
    RdmaMemoryWindow window = isOfWindow(operation) ? device.window(windowKey) : null;
    if (window == null) {
      return;
    }
    if (operation == Operation.LOCAL_INVALIDATE) {
      window.setOpen(windowKey, true);
    } else {
      window.notBound(windowKey);
    }
  }

  private static boolean isOfWindow(Operation operation) {
    return switch (operation) {
      case BIND_WINDOW, LOCAL_INVALIDATE -> true;
      default -> false;
    };
  }
}
