// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

/**
 * A pool of a peer, as its verbs see it.
 *
 * @param number its number in the peer's store
 * @param key the key to present
 * @param address what the peer's device calls its first byte
 * @param length bytes
 */
record RemotePool(int number, int key, long address, long length) {}
