// SPDX-License-Identifier: Apache-2.0
/**
 * Serving a store to other processes: blocks are READ one-sided, the server's CPU only attaches.
 */
package dev.verbena.store.serve;
