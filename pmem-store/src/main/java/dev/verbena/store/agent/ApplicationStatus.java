// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

/**
 * An application of an agent, at one moment.
 *
 * @param id its id
 * @param holders processes of this node that are attached
 * @param connections connections to its server, from any node
 * @param openGrants spaces that are being written
 * @param mapOutputs committed map outputs
 * @param usedBytes bytes that count against its quota
 */
public record ApplicationStatus(
    String id, int holders, int connections, int openGrants, int mapOutputs, long usedBytes) {}
