// SPDX-License-Identifier: Apache-2.0
/**
 * The node's store agent: a process that owns pools and outlives the applications that write to
 * them, and how applications of the same node find it and attach to it.
 */
package dev.verbena.store.agent;
