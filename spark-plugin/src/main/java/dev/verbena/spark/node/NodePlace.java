// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.node;

import dev.verbena.rpc.RpcSecret;
import java.nio.file.Path;

/**
 * What distinguishes an executor.
 *
 * @param application the application's id
 * @param executor the executor's id
 * @param host its Spark address
 * @param localDirectory its first spark.local.dir
 * @param secret shared by the application's executors
 */
public record NodePlace(
    String application, String executor, String host, Path localDirectory, RpcSecret secret) {}
