// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import java.nio.ByteBuffer;

/**
 * A method whose argument is in the log of its caller before it runs. Called by several threads.
 *
 * <p>The entry stays in the log, whatever becomes of the call: the service, or whoever reads the
 * log, trims it when it is not needed any more. So a service that must do each thing once notes the
 * ordinal with what it did, durably, and after a crash does what the log has behind that.
 */
@FunctionalInterface
public interface DurableService {
  /** The lowest number that a service can have as a method; those below are the store's own. */
  int FIRST_METHOD = 64;

  /**
   * Runs a call.
   *
   * @return the answer, position to limit
   * @throws dev.verbena.store.StoreException which the caller gets, by its code
   */
  ByteBuffer call(DurableArgument argument);
}
