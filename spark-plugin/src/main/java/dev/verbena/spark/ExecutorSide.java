// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import dev.verbena.spark.conf.ShuffleSettings;
import dev.verbena.spark.node.NodePlace;
import dev.verbena.spark.node.ShuffleNode;
import dev.verbena.spark.node.StoreDirectory;
import dev.verbena.spark.node.StoreDirectoryEndpoint;
import dev.verbena.spark.read.ShuffleReaders;
import dev.verbena.spark.write.DirectWriters;
import java.nio.file.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.netty.SparkTransportConf;
import org.apache.spark.network.util.TransportConf;
import org.apache.spark.util.RpcUtils;
import org.apache.spark.util.ShutdownHookManager;
import scala.Option;
import scala.runtime.BoxedUnit;

/**
 * What an executor does for the shuffle, from its first task of one on: before that, Spark may not
 * know its own address yet.
 */
final class ExecutorSide implements AutoCloseable {
  private final ShuffleNode node;
  private final ShuffleReaders readers;
  private final DirectWriters writers;
  private final Object shutdownHook;
  private boolean closed;

  ExecutorSide(SparkConf conf, ShuffleSettings settings) {
    SparkEnv env = SparkEnv.get();
    readers = new ShuffleReaders(conf);
    writers = new DirectWriters(conf, settings.writer());
    StoreDirectory directory =
        new StoreDirectory(
            RpcUtils.makeDriverRef(StoreDirectoryEndpoint.NAME, conf, env.rpcEnv()),
            settings.timeouts().lookup());
    node =
        new ShuffleNode(
            new NodePlace(
                conf.getAppId(),
                env.executorId(),
                env.blockManager().blockManagerId().host(),
                Path.of(env.blockManager().diskBlockManager().localDirsString()[0]),
                StoreSecret.of(conf, env.securityManager())),
            settings,
            transportConf(conf, env),
            directory);
    // A worker ends its executors by a signal; the pools in memory must not outlive them.
    shutdownHook =
        ShutdownHookManager.addShutdownHook(
            () -> {
              closeNode();
              return BoxedUnit.UNIT;
            });
  }

  private static TransportConf transportConf(SparkConf conf, SparkEnv env) {
    return SparkTransportConf.fromSparkConf(
        conf, "shuffle", 0, Option.empty(), Option.apply(env.securityManager().getRpcSSLOptions()));
  }

  ShuffleNode node() {
    return node;
  }

  ShuffleReaders readers() {
    return readers;
  }

  DirectWriters writers() {
    return writers;
  }

  /** The hook is there until all is closed: the signal may come while Spark stops the executor. */
  @Override
  public void close() {
    closeNode();
    ShutdownHookManager.removeShutdownHook(shutdownHook);
  }

  /** Whoever comes second waits for the first to be done. */
  private synchronized void closeNode() {
    if (!closed) {
      closed = true;
      node.close();
    }
  }
}
