// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.SendRequest.Operation;
import dev.verbena.verbs.VerbsException;

/** What is refused when it is posted, before any request of its batch is. */
final class RequestRules {
  /**
   * The longest range that a packet may name. Libraries cut a longer one down to 32 bits, so that
   * less would be durable than the completion told.
   */
  static final long MAX_FLUSH = 1L << 31;

  private final QueuePairAttributes limits;
  private final RdmaDevice device;

  RequestRules(QueuePairAttributes limits, RdmaDevice device) {
    this.limits = limits;
    this.device = device;
  }

  void check(SendRequest request) {
    boolean inline = request.inlineData() != null;
    if (inline && request.inlineLength() > limits.maxInline()) {
      throw refused(
          "inline data of "
              + request.inlineLength()
              + " bytes, the queue pair takes "
              + limits.maxInline());
    }
    if (request.bufferCount() > limits.maxBuffers()) {
      throw refused(
          request.bufferCount() + " buffers, the queue pair takes " + limits.maxBuffers());
    }
    if (inline && request.bufferCount() > 0) {
      throw refused("inline data and buffers in one request");
    }
    Operation operation = request.operation();
    if (inline && !sendsData(operation)) {
      throw refused(operation + " can't be inline");
    }
    checkLength(request, operation);
    if (!device.can(operation)) {
      throw refused(device.name() + " has no " + operation);
    }
    if (operation == Operation.BIND_WINDOW
        && !AccessCodes.suitsWindow(AccessCodes.of(request.bindAccess()))) {
      throw refused("a window can't allow " + request.bindAccess());
    }
    if (request.flushLength() < 0 || request.flushLength() > MAX_FLUSH) {
      throw refused("FLUSH of " + request.flushLength() + " bytes, at most " + MAX_FLUSH);
    }
  }

  private void checkLength(SendRequest request, Operation operation) {
    boolean isAtomic =
        operation == Operation.COMPARE_AND_SWAP || operation == Operation.FETCH_AND_ADD;
    if (sendsData(operation) || operation == Operation.READ) {
      return;
    }
    long bytes = 0;
    for (int i = 0; i < request.bufferCount(); i++) {
      bytes += request.bufferLength(i);
    }
    if (bytes != (isAtomic ? Long.BYTES : 0)) {
      throw refused(operation + " with " + bytes + " bytes of buffers");
    }
  }

  private static boolean sendsData(Operation operation) {
    return switch (operation) {
      case SEND, SEND_WITH_IMMEDIATE, SEND_WITH_INVALIDATE, WRITE, WRITE_WITH_IMMEDIATE -> true;
      default -> false;
    };
  }

  private static VerbsException refused(String why) {
    return new VerbsException(VerbsException.Code.INVALID_ARGUMENT, why);
  }
}
