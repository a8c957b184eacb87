// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.pool;

/**
 * A pool and its number within the store.
 *
 * @param number unique in the store, also over restarts
 * @param pool the pool
 */
public record NumberedPool(int number, Pool pool) {}
