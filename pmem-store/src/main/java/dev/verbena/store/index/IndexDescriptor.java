// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.index;

/**
 * Where the table is.
 *
 * @param generation counts the tables: it differs once the index has moved
 * @param table location of the first bucket
 * @param buckets number of buckets, a power of two
 */
public record IndexDescriptor(int generation, long table, long buckets) {}
