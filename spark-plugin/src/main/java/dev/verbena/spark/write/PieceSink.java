// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.write;

import java.io.IOException;

/** Takes bytes piece by piece; a piece is valid only during the call. */
@FunctionalInterface
interface PieceSink {
  void put(byte[] source, int offset, int length) throws IOException;
}
