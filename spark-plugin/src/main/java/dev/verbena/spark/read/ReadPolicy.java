// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import org.apache.spark.SparkConf;
import org.apache.spark.internal.config.package$;
import org.apache.spark.io.CompressionCodec;
import org.apache.spark.io.CompressionCodec$;

/**
 * Spark's keys that say how blocks are read.
 *
 * @param concatenable whether several blocks decode as one stream: no encryption, a codec that can
 * @param batchable whether Spark would let consecutive blocks be fetched as one
 * @param maxBytesInFlight most bytes requested at one time
 * @param maxRequestsInFlight most requests at one time
 * @param maxBlocksPerAddress most blocks requested of one executor at one time
 * @param maxRequestToMemory requests above these bytes go to disk
 * @param attemptsOnNettyMemory how often a block is tried again when Netty's memory is used up
 * @param detectCorrupt whether what does not decode has the map task run again
 * @param detectCorruptAhead whether the first part of a block is decoded before it is given out
 * @param checksums whether blocks have checksums, for the diagnosis of corruption
 * @param checksumAlgorithm and which
 */
record ReadPolicy(
    boolean concatenable,
    boolean batchable,
    long maxBytesInFlight,
    int maxRequestsInFlight,
    int maxBlocksPerAddress,
    long maxRequestToMemory,
    int attemptsOnNettyMemory,
    boolean detectCorrupt,
    boolean detectCorruptAhead,
    boolean checksums,
    String checksumAlgorithm) {

  static ReadPolicy of(SparkConf conf) {
    package$ keys = package$.MODULE$;
    boolean concatenable =
        !(boolean) conf.get(keys.IO_ENCRYPTION_ENABLED())
            && (!(boolean) conf.get(keys.SHUFFLE_COMPRESS()) || concatenates(conf));
    return new ReadPolicy(
        concatenable,
        concatenable && !(boolean) conf.get(keys.SHUFFLE_USE_OLD_FETCH_PROTOCOL()),
        (long) conf.get(keys.REDUCER_MAX_SIZE_IN_FLIGHT()) << 20,
        (int) conf.get(keys.REDUCER_MAX_REQS_IN_FLIGHT()),
        (int) conf.get(keys.REDUCER_MAX_BLOCKS_IN_FLIGHT_PER_ADDRESS()),
        (long) conf.get(keys.MAX_REMOTE_BLOCK_SIZE_FETCH_TO_MEM()),
        (int) conf.get(keys.SHUFFLE_MAX_ATTEMPTS_ON_NETTY_OOM()),
        (boolean) conf.get(keys.SHUFFLE_DETECT_CORRUPT()),
        (boolean) conf.get(keys.SHUFFLE_DETECT_CORRUPT_MEMORY()),
        (boolean) conf.get(keys.SHUFFLE_CHECKSUM_ENABLED()),
        conf.get(keys.SHUFFLE_CHECKSUM_ALGORITHM()));
  }

  private static boolean concatenates(SparkConf conf) {
    CompressionCodec codec = CompressionCodec$.MODULE$.createCodec(conf);
    return CompressionCodec$.MODULE$.supportsConcatenationOfSerializedStreams(codec);
  }
}
