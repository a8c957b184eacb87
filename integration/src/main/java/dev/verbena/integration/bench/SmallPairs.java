// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * An RDD of pairs of a long and 16 random bytes, partitioned by key and read through. The rows
 * depend on nothing but the case.
 */
final class SmallPairs {
  private static final int VALUE_BYTES = 16;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;
  private static final long MIX = 0xBF58_476D_1CE4_E5B9L;

  private SmallPairs() {}

  static RowDigest shuffle(JavaSparkContext context, ShuffleCase what) {
    int maps = what.maps();
    long rows = what.rows();
    List<Integer> indexes = IntStream.range(0, maps).boxed().toList();
    JavaPairRDD<Long, byte[]> pairs =
        context
            .parallelize(indexes, maps)
            .mapPartitionsToPair(
                index -> {
                  int map = index.next();
                  return new Pairs(map, rows * (map + 1) / maps - rows * map / maps);
                });
    List<long[]> digests =
        pairs
            .partitionBy(new HashPartitioner(what.reduces()))
            .mapPartitions(part -> List.of(digest(part)).iterator())
            .collect();
    return new RowDigest(
        digests.stream().mapToLong(digest -> digest[0]).sum(),
        digests.stream().mapToLong(digest -> digest[1]).sum());
  }

  /** Rows and checksum; an array, since Spark's Kryo knows no records. */
  private static long[] digest(Iterator<Tuple2<Long, byte[]>> pairs) {
    long rows = 0;
    long checksum = 0;
    while (pairs.hasNext()) {
      Tuple2<Long, byte[]> pair = pairs.next();
      byte[] value = pair._2();
      long mixed = pair._1() * GOLDEN;
      for (int at = 0; at < value.length; at += Long.BYTES) {
        mixed = (mixed ^ (long) LONGS.get(value, at)) * MIX;
      }
      rows++;
      checksum += mixed ^ mixed >>> 32;
    }
    return new long[] {rows, checksum};
  }

  private static final class Pairs implements Iterator<Tuple2<Long, byte[]>> {
    private final SplittableRandom random;
    private long left;

    Pairs(int seed, long rows) {
      random = new SplittableRandom(seed);
      left = rows;
    }

    @Override
    public boolean hasNext() {
      return left > 0;
    }

    @Override
    public Tuple2<Long, byte[]> next() {
      if (left-- <= 0) {
        throw new NoSuchElementException();
      }
      byte[] value = new byte[VALUE_BYTES];
      for (int at = 0; at < VALUE_BYTES; at += Long.BYTES) {
        LONGS.set(value, at, random.nextLong());
      }
      return new Tuple2<>(random.nextLong() >>> 1, value);
    }
  }
}
