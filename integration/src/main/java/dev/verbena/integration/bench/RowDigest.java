// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

/**
 * What tells one multiset of rows from another.
 *
 * @param checksum does not depend on the order
 */
record RowDigest(long rows, long checksum) {}
