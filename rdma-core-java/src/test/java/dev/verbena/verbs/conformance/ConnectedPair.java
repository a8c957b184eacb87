// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

/**
 * Two ends of one connection.
 *
 * @param client the end that connected
 * @param server the end that accepted
 */
record ConnectedPair(Endpoint client, Endpoint server) {}
