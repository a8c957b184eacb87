// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.store.StoreException;
import java.util.Map;

/** The failure codes of the calls about grants, as they are sent. */
enum WireFailure {
  VERSION(1, StoreException.Code.REJECTED),
  NOT_GRANTED(2, StoreException.Code.NOT_GRANTED),
  POOL_FULL(3, StoreException.Code.POOL_FULL),
  INVALID_ARGUMENT(4, StoreException.Code.INVALID_ARGUMENT),
  CORRUPT(5, StoreException.Code.CORRUPT),
  CLOSED(6, StoreException.Code.CLOSED),
  IO(7, StoreException.Code.IO);

  private static final Map<StoreException.Code, WireFailure> BY_CODE =
      Map.of(
          StoreException.Code.REJECTED, VERSION,
          StoreException.Code.NOT_GRANTED, NOT_GRANTED,
          StoreException.Code.POOL_FULL, POOL_FULL,
          StoreException.Code.INVALID_ARGUMENT, INVALID_ARGUMENT,
          StoreException.Code.CORRUPT, CORRUPT,
          StoreException.Code.CLOSED, CLOSED);

  private final int number;
  private final StoreException.Code code;

  WireFailure(int number, StoreException.Code code) {
    this.number = number;
    this.code = code;
  }

  /** What a failure is sent as. */
  static int numberOf(StoreException.Code code) {
    return BY_CODE.getOrDefault(code, IO).number;
  }

  /** What a number means; REJECTED for one that is not known. */
  static StoreException.Code codeOf(int number) {
    for (WireFailure each : values()) {
      if (each.number == number) {
        return each.code;
      }
    }
    return StoreException.Code.REJECTED;
  }
}
