// SPDX-License-Identifier: Apache-2.0
/** An executor's store, and how executors find each other's. */
package dev.verbena.spark.node;
