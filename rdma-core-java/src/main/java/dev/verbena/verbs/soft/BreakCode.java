// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.verbs.AsyncEvent;
import dev.verbena.verbs.CompletionStatus;

/**
 * Why a requester broke the connection, as the peer's word of a queue pair's area tells its owner:
 * what the responder found wrong in its thread, but would have found itself on hardware.
 */
final class BreakCode {
  /** Nothing that concerns the target. */
  static final long PLAIN = 1;

  /** A remote key, range or permission was wrong. */
  static final long ACCESS = 2;

  /** A request that consumes no RECV was malformed. */
  static final long REQUEST = 3;

  private BreakCode() {}

  /** The code for a request that failed; {@code receiveTells} if a RECV's completion does too. */
  static long of(CompletionStatus status, boolean receiveTells) {
    return switch (status) {
      case REMOTE_ACCESS_ERROR -> ACCESS;
      case REMOTE_INVALID_REQUEST -> receiveTells ? PLAIN : REQUEST;
      default -> PLAIN;
    };
  }

  /** The event that the target raises, or null. */
  static AsyncEvent.Type event(long code) {
    if (code == ACCESS) {
      return AsyncEvent.Type.QUEUE_PAIR_ACCESS_ERROR;
    }
    return code == REQUEST ? AsyncEvent.Type.QUEUE_PAIR_REQUEST_ERROR : null;
  }
}
