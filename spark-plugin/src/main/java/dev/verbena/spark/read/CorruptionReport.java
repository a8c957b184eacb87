// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import dev.verbena.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.zip.CheckedInputStream;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.checksum.Cause;
import org.apache.spark.network.shuffle.checksum.ShuffleChecksumHelper;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.storage.ShuffleBlockId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds out which block is corrupt, and has its holder say why, as Spark's fetcher does. */
final class CorruptionReport {
  private static final Logger LOG = LoggerFactory.getLogger(CorruptionReport.class);

  private final SerializerManager serializers;
  private final BlockStoreClient holders;
  private final ReadPolicy policy;

  CorruptionReport(SerializerManager serializers, BlockStoreClient holders, ReadPolicy policy) {
    this.serializers = serializers;
    this.holders = holders;
    this.policy = policy;
  }

  /**
   * The first of some blocks, decoded as one stream, that does not decode by itself. A decoder may
   * read ahead, so the block at which it stopped is only a guess.
   */
  DirectBlock culprit(List<DirectBlock> blocks) {
    byte[] scratch = new byte[ShuffleChecksumHelper.CHECKSUM_CALCULATION_BUFFER];
    for (DirectBlock each : blocks) {
      try (InputStream raw = each.open();
          InputStream decoding = serializers.wrapStream(each.block().id(), raw)) {
        drain(decoding, scratch);
      } catch (IOException | StoreException failure) {
        LOG.debug("{} does not decode", each.block().id(), failure);
        return each;
      }
    }
    return blocks.get(blocks.size() - 1);
  }

  /** What is known of a corrupt block, for people. */
  String describe(DirectBlock corrupt, IOException failure) {
    WantedBlock block = corrupt.block();
    if (!policy.checksums() || !(block.id() instanceof ShuffleBlockId id)) {
      return String.valueOf(failure.getMessage());
    }
    Cause cause = ask(corrupt, id);
    return switch (cause) {
      case UNSUPPORTED_CHECKSUM_ALGORITHM ->
          "Block "
              + id
              + " is corrupted but corruption diagnosis failed due to unsupported checksum"
              + " algorithm: "
              + policy.checksumAlgorithm();
      case CHECKSUM_VERIFY_PASS -> "Block " + id + " is corrupted but checksum verification passed";
      case UNKNOWN_ISSUE -> "Block " + id + " is corrupted but the cause is unknown";
      default -> "Block " + id + " is corrupted due to " + cause;
    };
  }

  private Cause ask(DirectBlock corrupt, ShuffleBlockId id) {
    WantedBlock block = corrupt.block();
    String algorithm = policy.checksumAlgorithm();
    try (InputStream raw = corrupt.open();
        CheckedInputStream checked =
            new CheckedInputStream(raw, ShuffleChecksumHelper.getChecksumByAlgorithm(algorithm))) {
      drain(checked, new byte[ShuffleChecksumHelper.CHECKSUM_CALCULATION_BUFFER]);
      return holders.diagnoseCorruption(
          block.address().host(),
          block.address().port(),
          block.address().executorId(),
          id.shuffleId(),
          id.mapId(),
          id.reduceId(),
          checked.getChecksum().getValue(),
          algorithm);
    } catch (IOException | RuntimeException failure) {
      LOG.warn("Can't diagnose why {} is corrupt", id, failure);
      return Cause.UNKNOWN_ISSUE;
    }
  }

  private static void drain(InputStream in, byte[] scratch) throws IOException {
    int got = in.read(scratch);
    while (got >= 0) {
      got = in.read(scratch);
    }
  }
}
