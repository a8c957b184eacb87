// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.interop;

/** Throws checked exceptions where Scala would: through signatures that declare none. */
public final class Raise {
  private Raise() {}

  /** Throws {@code failure} as it is; never returns, so that callers can say {@code throw}. */
  public static RuntimeException asIs(Throwable failure) {
    return Raise.<RuntimeException>unchecked(failure);
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // that is the trick
  private static <E extends Throwable> E unchecked(Throwable failure) throws E {
    throw (E) failure;
  }
}
