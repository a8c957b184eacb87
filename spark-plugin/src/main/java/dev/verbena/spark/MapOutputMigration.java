// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import dev.verbena.spark.node.ShuffleNode;
import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoredMapOutput;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleBlockInfo;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockStatus;
import org.apache.spark.storage.ShuffleDataBlockId;
import org.apache.spark.storage.ShuffleIndexBlockId;
import org.apache.spark.storage.StorageLevel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;

/**
 * Moves map outputs from an executor that is being decommissioned to another, in the two pieces
 * that Spark moves: the data, all partitions in order, and then the index, the offset of each
 * partition and of the end as big-endian longs. Spark has no piece for checksums, so they follow
 * the offsets, behind a word that can't be an offset. The receiver keeps the data in a file until
 * the index tells where partitions begin. Thread-safe.
 */
final class MapOutputMigration {
  private static final Logger LOG = LoggerFactory.getLogger(MapOutputMigration.class);
  private static final int BUFFER = 64 << 10;
  private static final long CHECKSUMS_FOLLOW = -1;

  /** What an index piece says. */
  private record Index(long[] offsets, long[] checksums) {}

  private final Supplier<ShuffleNode> node;
  private final Map<ShuffleBlockInfo, Path> received = new ConcurrentHashMap<>();

  MapOutputMigration(Supplier<ShuffleNode> node) {
    this.node = node;
  }

  /** The pieces of a map output; none if it is gone. */
  List<Tuple2<BlockId, ManagedBuffer>> outgoing(ShuffleBlockInfo info) {
    int noReduce = IndexShuffleBlockResolver.NOOP_REDUCE_ID();
    BlockId index = new ShuffleIndexBlockId(info.shuffleId(), info.mapId(), noReduce);
    BlockId data = new ShuffleDataBlockId(info.shuffleId(), info.mapId(), noReduce);
    try (StoredMapOutput output = find(info)) {
      long[] checksums = output.checksums();
      int words = output.partitions() + 1 + (checksums.length == 0 ? 0 : 1 + checksums.length);
      ByteBuffer offsets = ByteBuffer.allocate(words * Long.BYTES);
      long offset = 0;
      for (int partition = 0; partition < output.partitions(); partition++) {
        offsets.putLong(offset);
        offset += output.partitionLength(partition);
      }
      offsets.putLong(offset);
      if (checksums.length > 0) {
        offsets.putLong(CHECKSUMS_FOLLOW);
        offsets.asLongBuffer().put(checksums);
        offsets.position(offsets.limit());
      }
      Tuple2<BlockId, ManagedBuffer> indexPiece =
          new Tuple2<>(index, new NioManagedBuffer(offsets.flip()));
      if (offset == 0) {
        return List.of(indexPiece);
      }
      ManagedBuffer bytes = new StoredBlockBuffer(offset, () -> inPartitionOrder(info));
      return List.of(new Tuple2<>(data, bytes), indexPiece);
    } catch (StoreException gone) {
      LOG.warn("{} is gone, it does not migrate", info, gone);
      return List.of();
    }
  }

  @SuppressWarnings("JdkObsolete") // SequenceInputStream takes nothing newer
  private InputStream inPartitionOrder(ShuffleBlockInfo info) {
    StoredMapOutput output = find(info);
    var partitions =
        IntStream.range(0, output.partitions())
            .filter(partition -> output.partitionLength(partition) > 0)
            .mapToObj(partition -> output.open(partition, partition + 1))
            .iterator();
    return new SequenceInputStream(
        new Enumeration<InputStream>() {
          @Override
          public boolean hasMoreElements() {
            return partitions.hasNext();
          }

          @Override
          public InputStream nextElement() {
            return partitions.next();
          }
        }) {
      @Override
      public void close() throws IOException {
        try (output) {
          super.close();
        }
      }
    };
  }

  private StoredMapOutput find(ShuffleBlockInfo info) {
    return node.get()
        .store()
        .find(node.get().key(info.shuffleId(), info.mapId()))
        .orElseThrow(
            () -> new StoreException(StoreException.Code.NOT_FOUND, info + " is not in the store"));
  }

  /** Takes a piece from another executor. */
  IncomingPiece incoming(BlockId id) {
    if (id instanceof ShuffleDataBlockId data) {
      ShuffleBlockInfo info = new ShuffleBlockInfo(data.shuffleId(), data.mapId());
      return new IncomingPiece(id, temporaryFile(), file -> keepData(id, info, file));
    }
    if (id instanceof ShuffleIndexBlockId index) {
      ShuffleBlockInfo info = new ShuffleBlockInfo(index.shuffleId(), index.mapId());
      return new IncomingPiece(id, temporaryFile(), file -> store(id, info, file));
    }
    throw new IllegalArgumentException("unexpected piece of a map output: " + id);
  }

  private void keepData(BlockId id, ShuffleBlockInfo info, Path file) throws IOException {
    Path before = received.put(info, file);
    if (before != null) {
      Files.deleteIfExists(before);
    }
    report(id, Files.size(file));
  }

  private void store(BlockId id, ShuffleBlockInfo info, Path index) throws IOException {
    Index read = readIndex(index, info);
    long[] offsets = read.offsets();
    Path data = received.remove(info);
    ShuffleNode here = node.get();
    try (MapOutputWriter output =
            here.openMapOutput(info.shuffleId(), info.mapId(), offsets.length - 1);
        InputStream in =
            data == null
                ? InputStream.nullInputStream()
                : new BufferedInputStream(Files.newInputStream(data))) {
      byte[] buffer = new byte[BUFFER];
      for (int partition = 0; partition + 1 < offsets.length; partition++) {
        long left = offsets[partition + 1] - offsets[partition];
        while (left > 0) {
          int got = in.read(buffer, 0, (int) Math.min(left, buffer.length));
          if (got < 0) {
            throw new EOFException("data of " + info + " ends before its index says");
          }
          output.append(partition, buffer, 0, got);
          left -= got;
        }
      }
      output.commit(read.checksums());
    } finally {
      Files.deleteIfExists(index);
      if (data != null) {
        Files.deleteIfExists(data);
      }
    }
    report(id, (long) offsets.length * Long.BYTES);
  }

  private static Index readIndex(Path index, ShuffleBlockInfo info) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(index));
    if (bytes.remaining() < 2 * Long.BYTES || bytes.remaining() % Long.BYTES != 0) {
      throw new IOException("index of " + info + " has " + bytes.remaining() + " bytes");
    }
    long[] words = new long[bytes.remaining() / Long.BYTES];
    bytes.asLongBuffer().get(words);
    int end = 0;
    while (end < words.length && words[end] != CHECKSUMS_FOLLOW) {
      end++;
    }
    long[] offsets = Arrays.copyOf(words, end);
    long[] checksums =
        end == words.length ? new long[0] : Arrays.copyOfRange(words, end + 1, words.length);
    if (offsets.length < 2 || (end < words.length && checksums.length != offsets.length - 1)) {
      throw new IOException(
          "index of " + info + " has " + end + " offsets and " + checksums.length + " checksums");
    }
    long before = 0;
    for (long offset : offsets) {
      if (offset < before || offsets[0] != 0) {
        throw new IOException("index of " + info + " is not ascending from 0");
      }
      before = offset;
    }
    return new Index(offsets, checksums);
  }

  private static Path temporaryFile() {
    return blockManager().diskBlockManager().createTempLocalBlock()._2().toPath();
  }

  /** Has the driver's map output tracker learn the new place. */
  private static void report(BlockId id, long size) {
    blockManager().reportBlockStatus(id, new BlockStatus(StorageLevel.DISK_ONLY(), 0, size), 0);
  }

  private static BlockManager blockManager() {
    return SparkEnv.get().blockManager();
  }
}
