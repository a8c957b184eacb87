// SPDX-License-Identifier: Apache-2.0
/** The shuffle of Spark: what its configuration names, and what Spark calls. */
package dev.verbena.spark;
