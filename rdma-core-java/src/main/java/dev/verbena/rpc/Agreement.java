// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

/**
 * What a handshake ended with.
 *
 * @param version the protocol version that both speak
 * @param incarnation of the server
 * @param sessionId names the connection when its bulk queue pair is connected
 * @param bulkToken proves that who connects the bulk queue pair made the handshake
 * @param peerBufferSize bytes of a receive buffer of the peer
 * @param peerDepth receive buffers of the peer
 * @param peerDeviceName what the peer calls its device
 */
record Agreement(
    int version,
    long incarnation,
    long sessionId,
    BulkToken bulkToken,
    int peerBufferSize,
    int peerDepth,
    String peerDeviceName) {}
