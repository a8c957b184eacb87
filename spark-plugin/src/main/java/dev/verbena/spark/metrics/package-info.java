// SPDX-License-Identifier: Apache-2.0
/** What was read over which carrier, for a task's listener and for Spark's metrics system. */
package dev.verbena.spark.metrics;
