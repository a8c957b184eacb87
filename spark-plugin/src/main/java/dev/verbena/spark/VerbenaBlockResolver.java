// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import dev.verbena.spark.interop.Raise;
import dev.verbena.spark.node.ShuffleNode;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.StoreException;
import dev.verbena.store.StoredMapOutput;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.spark.SparkConf;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleBlockInfo;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;
import org.apache.spark.storage.ShuffleDataBlockId;
import org.apache.spark.storage.ShuffleIndexBlockId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Finds map outputs in the executor's store. It is an {@link IndexShuffleBlockResolver} because
 * Spark casts to that for the diagnosis of corruption and for migration; index and data files do
 * not exist. Thread-safe.
 */
final class VerbenaBlockResolver extends IndexShuffleBlockResolver {
  private static final Logger LOG = LoggerFactory.getLogger(VerbenaBlockResolver.class);

  private final Supplier<ShuffleNode> node;
  private final Map<MapOutputKey, File> checksumFiles = new ConcurrentHashMap<>();
  private final Set<Integer> skipped = ConcurrentHashMap.newKeySet();
  private final MapOutputMigration migration;

  VerbenaBlockResolver(SparkConf conf, Supplier<ShuffleNode> node) {
    super(conf);
    this.node = node;
    this.migration = new MapOutputMigration(node);
  }

  /**
   * {@inheritDoc}
   *
   * @param directories of another executor on this host: there are no files to find in them
   */
  @Override
  public ManagedBuffer getBlockData(BlockId id, Option<String[]> directories) {
    if (directories.isDefined()) {
      throw Raise.asIs(
          new IOException(id + " is in its executor's store, not in a local directory"));
    }
    if (id instanceof ShuffleBlockId one) {
      return block(one.shuffleId(), one.mapId(), one.reduceId(), one.reduceId() + 1);
    }
    if (id instanceof ShuffleBlockBatchId batch) {
      return block(batch.shuffleId(), batch.mapId(), batch.startReduceId(), batch.endReduceId());
    }
    throw new IllegalArgumentException("unexpected shuffle block id: " + id);
  }

  private ManagedBuffer block(int shuffle, long mapId, int first, int end) {
    try {
      return StoredBlockBuffer.of(() -> find(shuffle, mapId), first, end);
    } catch (StoreException failure) {
      throw Raise.asIs(new IOException(failure.getMessage(), failure));
    }
  }

  private StoredMapOutput find(int shuffle, long mapId) {
    MapOutputKey key = node.get().key(shuffle, mapId);
    return node.get()
        .store()
        .find(key)
        .orElseThrow(
            () -> new StoreException(StoreException.Code.NOT_FOUND, "no " + key + " in the store"));
  }

  /**
   * The checksums of a map output as the file that Spark's diagnosis reads, made from the store at
   * the first call; a file that does not exist if the output has none.
   */
  @Override
  public File getChecksumFile(
      int shuffle, long mapId, String algorithm, Option<String[]> directories) {
    File file = super.getChecksumFile(shuffle, mapId, algorithm, directories);
    MapOutputKey key = node.get().key(shuffle, mapId);
    if (directories.isEmpty() && !checksumFiles.containsKey(key)) {
      node.get().store().find(key).ifPresent(output -> write(output, file));
    }
    return file;
  }

  private void write(StoredMapOutput output, File file) {
    try (output) {
      if (output.checksums().length == 0) {
        return;
      }
      File temporary = createTempFile(file);
      try (DataOutputStream out =
          new DataOutputStream(
              new BufferedOutputStream(Files.newOutputStream(temporary.toPath())))) {
        for (long checksum : output.checksums()) {
          out.writeLong(checksum);
        }
      }
      Files.move(temporary.toPath(), file.toPath(), StandardCopyOption.REPLACE_EXISTING);
      checksumFiles.put(output.key(), file);
    } catch (IOException failure) {
      throw new UncheckedIOException("writing the checksums of " + output.key(), failure);
    }
  }

  @Override
  public void removeDataByMap(int shuffle, long mapId) {
    MapOutputKey key = node.get().key(shuffle, mapId);
    node.get().store().removeMapOutput(key);
    deleteChecksums(key);
  }

  /** Drops all that is here of a shuffle. */
  void removeShuffle(int shuffle) {
    node.get().store().removeShuffle(node.get().application(), shuffle);
    checksumFiles.keySet().stream()
        .filter(key -> key.shuffle() == shuffle)
        .forEach(this::deleteChecksums);
    skipped.remove(shuffle);
  }

  private void deleteChecksums(MapOutputKey key) {
    File file = checksumFiles.remove(key);
    if (file != null) {
      try {
        Files.deleteIfExists(file.toPath());
      } catch (IOException failure) {
        LOG.warn("Deleting the checksums of {}", key, failure);
      }
    }
  }

  @Override
  public Seq<BlockId> getBlocksForShuffle(int shuffle, long mapId) {
    return CollectionConverters.asScala(
            List.<BlockId>of(
                new ShuffleIndexBlockId(shuffle, mapId, NOOP_REDUCE_ID()),
                new ShuffleDataBlockId(shuffle, mapId, NOOP_REDUCE_ID())))
        .toList();
  }

  @Override
  public Seq<ShuffleBlockInfo> getStoredShuffles() {
    List<ShuffleBlockInfo> stored =
        node.get().store().mapOutputs(node.get().application()).stream()
            .filter(key -> !skipped.contains(key.shuffle()))
            .map(key -> new ShuffleBlockInfo(key.shuffle(), key.mapAttempt()))
            .toList();
    return CollectionConverters.asScala(stored).toList();
  }

  @Override
  public void addShuffleToSkip(int shuffle) {
    skipped.add(shuffle);
  }

  @Override
  public scala.collection.immutable.List<Tuple2<BlockId, ManagedBuffer>> getMigrationBlocks(
      ShuffleBlockInfo info) {
    return CollectionConverters.asScala(migration.outgoing(info)).toList();
  }

  @Override
  public StreamCallbackWithID putShuffleBlockAsStream(BlockId id, SerializerManager serializers) {
    return migration.incoming(id);
  }
}
