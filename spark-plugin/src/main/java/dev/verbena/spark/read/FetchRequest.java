// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.read;

import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.DownloadFileManager;

/**
 * A request of Spark's fetcher, without its blocks.
 *
 * @param host where Spark's own block transfer finds the executor
 * @param port and at which port
 * @param executor who holds the blocks
 * @param listener hears of each block once
 * @param files makes files for blocks that are to go to disk; null if they are to stay in memory
 */
record FetchRequest(
    String host,
    int port,
    String executor,
    BlockFetchingListener listener,
    DownloadFileManager files) {}
