// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

/**
 * An event of a device or of its connection manager, {@code struct vb_event}, in host byte order.
 *
 * <pre>
 *   0    object:64                 handle of the one concerned; 0 if it is the device
 *   8    new id:64                 handle, of a connect request
 *   16   source:32                 1 connection manager, 2 device
 *   20   type:32                   enum rdma_cm_event_type or enum ibv_event_type
 *   24   status:32                 errno, or the reason of a reject; of the device: the port
 *   28   queue pair of the peer:32
 *   32   bytes of private data:32
 *   36   READs that the peer asks to send at once:32, and that may be sent to it:32
 *   44   came in on this device:32 of a connect request
 *   48   address of the peer, {@link AddressLayout}
 *   80   private data:2048
 * </pre>
 */
final class EventLayout {
  static final int OBJECT_OFFSET = 0;
  static final int ID_OFFSET = 8;
  static final int SOURCE_OFFSET = 16;
  static final int TYPE_OFFSET = 20;
  static final int STATUS_OFFSET = 24;
  static final int QUEUE_PAIR_OFFSET = 28;
  static final int PRIVATE_LENGTH_OFFSET = 32;
  static final int READS_OF_PEER_OFFSET = 36;
  static final int READS_OFFSET = 40;
  static final int SAME_DEVICE_OFFSET = 44;
  static final int REMOTE_OFFSET = 48;
  static final int PRIVATE_DATA_OFFSET = 80;
  static final int PRIVATE_BYTES = 256;
  static final int SIZE = 336;

  static final int FROM_CONNECTION_MANAGER = 1;
  static final int FROM_DEVICE = 2;

  private EventLayout() {}
}
