// SPDX-License-Identifier: Apache-2.0
/** Commands of {@code bin/verbena} that need neither Spark nor Hadoop. */
package dev.verbena.cli;
