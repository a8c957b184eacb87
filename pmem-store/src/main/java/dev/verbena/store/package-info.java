// SPDX-License-Identifier: Apache-2.0
/**
 * The block store as its users see it: map outputs in pools of memory or files, written by append
 * and publish, found by key. {@code local} holds the store itself, on {@code pool} (space and
 * durability) and {@code index} (what others look up); {@code serve} reads it from other processes.
 * Knows no Spark.
 */
package dev.verbena.store;
