// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import java.io.InputStream;

/** A block and where to read it directly. */
record DirectBlock(WantedBlock block, BlockSource source) {
  InputStream open() {
    return source.open(block);
  }
}
