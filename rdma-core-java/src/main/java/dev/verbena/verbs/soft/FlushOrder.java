// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

/**
 * A FLUSH that the owner of the memory has to carry out.
 *
 * @param key of the region
 * @param domain protection domain of the queue pair it came over
 * @param address first byte; means nothing if {@code whole}
 * @param length bytes; means nothing if {@code whole}
 * @param whole whether the whole region of the key is meant
 */
record FlushOrder(int key, int domain, long address, long length, boolean whole) {}
