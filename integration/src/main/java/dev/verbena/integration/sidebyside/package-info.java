// SPDX-License-Identifier: Apache-2.0
/**
 * Spark applications that are alive side by side, one job at a time given to each in turn: how they
 * are started, told what to run, and what their tasks' metrics say of it.
 */
package dev.verbena.integration.sidebyside;
