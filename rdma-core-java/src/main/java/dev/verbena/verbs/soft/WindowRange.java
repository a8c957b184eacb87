// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

/**
 * What a bind opens.
 *
 * @param address first byte
 * @param length bytes
 * @param access bits of {@link KeyTable}
 */
record WindowRange(long address, long length, int access) {}
