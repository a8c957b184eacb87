// SPDX-License-Identifier: Apache-2.0
/** Pools: files in memory or on disk, given out in extents, made durable, recovered by scan. */
package dev.verbena.store.pool;
