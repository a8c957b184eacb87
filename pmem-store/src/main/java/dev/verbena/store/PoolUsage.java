// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

import java.nio.file.Path;

/**
 * What a pool holds.
 *
 * @param path its file
 * @param kind what backs it
 * @param size bytes that can be given out
 * @param used bytes given out, whole chunks counted
 * @param extents number of extents given out
 */
public record PoolUsage(Path path, PoolKind kind, long size, long used, long extents) {}
