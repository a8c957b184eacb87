// SPDX-License-Identifier: Apache-2.0
/** Map tasks: from records, or from Spark's own writers, into the store. */
package dev.verbena.spark.write;
