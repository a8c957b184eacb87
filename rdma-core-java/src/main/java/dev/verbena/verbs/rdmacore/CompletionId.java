// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

/**
 * What a request is posted under: a completion that failed tells nothing else of it.
 *
 * <pre>
 *   number of the work queue in its device:32 | number of the request, modulo 2^32:32
 * </pre>
 */
final class CompletionId {
  private static final int QUEUE_SHIFT = 32;
  private static final long REQUEST_MASK = 0xffff_ffffL;

  private CompletionId() {}

  static long of(int queue, long request) {
    return (long) queue << QUEUE_SHIFT | (request & REQUEST_MASK);
  }

  static int queue(long id) {
    return (int) (id >>> QUEUE_SHIFT);
  }

  static int request(long id) {
    return (int) id;
  }

  /** The request of that number which is the first one not before {@code from}. */
  static long extend(int request, long from) {
    return from + ((request - (int) from) & REQUEST_MASK);
  }
}
