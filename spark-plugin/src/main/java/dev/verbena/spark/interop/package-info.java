// SPDX-License-Identifier: Apache-2.0
/** Where Java and Scala differ. */
package dev.verbena.spark.interop;
