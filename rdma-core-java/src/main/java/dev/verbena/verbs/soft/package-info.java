// SPDX-License-Identifier: Apache-2.0
/**
 * Provider "soft": a software NIC in pure Java, the embedded default. Carrier shm joins processes
 * of one user on one host, carrier tcp joins hosts.
 *
 * <p>A send queue is run by exactly one process, the thread that rings the doorbell first of all.
 * Processes share no lock and no multi-producer queue. shm guards against mistakes, not malice:
 * both ends map each other's device.
 */
package dev.verbena.verbs.soft;
