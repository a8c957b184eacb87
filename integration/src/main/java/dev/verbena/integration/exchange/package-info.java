// SPDX-License-Identifier: Apache-2.0
/**
 * What the map tasks of a SQL query's shuffles wrote, and whether two applications that ran the
 * same query wrote the same.
 */
package dev.verbena.integration.exchange;
