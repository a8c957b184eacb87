// SPDX-License-Identifier: Apache-2.0
/**
 * Reduce tasks: blocks from the own store, from mapped memory, by READ, and what they fall back to.
 */
package dev.verbena.spark.read;
