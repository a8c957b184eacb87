// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark;

import dev.verbena.spark.metrics.TaskCounters;

/** A shuffle handle that brings tasks their counters. */
interface CountedHandle {
  TaskCounters counters();
}
