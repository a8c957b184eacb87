// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.write;

import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.xxhash.XXHash32;
import net.jpountz.xxhash.XXHashFactory;

/**
 * The compressor and the hash, found once: finding them anew is slow where the native library does
 * not load (SPARK-28102). Both are thread-safe.
 */
record Lz4Tools(LZ4Compressor compressor, XXHash32 hash) {
  static Lz4Tools fastest() {
    return new Lz4Tools(
        LZ4Factory.fastestInstance().fastCompressor(), XXHashFactory.fastestInstance().hash32());
  }
}
