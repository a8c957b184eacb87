// SPDX-License-Identifier: Apache-2.0
/** The keys of the plug-in, checked at start. */
package dev.verbena.spark.conf;
