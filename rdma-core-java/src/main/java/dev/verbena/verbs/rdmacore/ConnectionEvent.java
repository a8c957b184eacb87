// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * An event of the connection manager: rdma_get_cm_event(3).
 *
 * @param object handle of the id concerned; of a connect request, the listener's
 * @param newId handle of the id of a connect request
 * @param status errno or the reason of a reject
 * @param privateData as it came, padded by the network
 * @param readsOfPeer READs that the peer asks to send at once
 * @param reads READs that may be sent to the peer at once
 * @param onThisDevice whether a connect request came in on the device that listens
 * @param remote where a connect request comes from; null of other events
 */
record ConnectionEvent(
    long object,
    long newId,
    Type type,
    int status,
    byte[] privateData,
    int readsOfPeer,
    int reads,
    boolean onThisDevice,
    InetSocketAddress remote) {

  /** In the order of enum rdma_cm_event_type. */
  enum Type {
    ADDRESS_RESOLVED,
    ADDRESS_ERROR,
    ROUTE_RESOLVED,
    ROUTE_ERROR,
    CONNECT_REQUEST,
    CONNECT_RESPONSE,
    CONNECT_ERROR,
    UNREACHABLE,
    REJECTED,
    ESTABLISHED,
    DISCONNECTED,
    DEVICE_REMOVED,
    MULTICAST_JOINED,
    MULTICAST_ERROR,
    ADDRESS_CHANGED,
    TIME_WAIT_ENDED
  }

  private static final Type[] TYPES = Type.values();

  static ConnectionEvent read(ByteBuffer from) {
    Type type = TYPES[from.getInt(EventLayout.TYPE_OFFSET)];
    byte[] data = new byte[from.getInt(EventLayout.PRIVATE_LENGTH_OFFSET)];
    from.get(EventLayout.PRIVATE_DATA_OFFSET, data);
    return new ConnectionEvent(
        from.getLong(EventLayout.OBJECT_OFFSET),
        from.getLong(EventLayout.ID_OFFSET),
        type,
        from.getInt(EventLayout.STATUS_OFFSET),
        data,
        from.getInt(EventLayout.READS_OF_PEER_OFFSET),
        from.getInt(EventLayout.READS_OFFSET),
        from.getInt(EventLayout.SAME_DEVICE_OFFSET) != 0,
        type == Type.CONNECT_REQUEST ? AddressLayout.read(from, EventLayout.REMOTE_OFFSET) : null);
  }
}
