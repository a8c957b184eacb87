// SPDX-License-Identifier: Apache-2.0
/** Executors that are killed at a point of a query, which is chosen beforehand. */
package dev.verbena.integration.kill;
