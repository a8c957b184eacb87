// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

/**
 * What C tells of a device, {@code struct vb_device_info}, in host byte order.
 *
 * <pre>
 *   0    longest message:64
 *   8    capabilities:32           1 atomics, 2 FLUSH global, 4 FLUSH persistent, 8 ATOMIC_WRITE,
 *                                  16 windows of type 2B, 32 paging on demand
 *   12   deepest queue:32, completions of a queue:32, RECVs of a shared queue:32
 *   24   buffers a request:32, inline bytes:32
 *   32   port:32, MTU:32           enum ibv_mtu
 *   40   READs at once:32
 *   44   transport is InfiniBand or RoCE:32
 *   48   name, up to a zero byte:512
 * </pre>
 */
final class DeviceInfoLayout {
  static final int MAX_MESSAGE_OFFSET = 0;
  static final int CAPABILITIES_OFFSET = 8;
  static final int MAX_DEPTH_OFFSET = 12;
  static final int MAX_COMPLETIONS_OFFSET = 16;
  static final int MAX_SHARED_DEPTH_OFFSET = 20;
  static final int MAX_BUFFERS_OFFSET = 24;
  static final int MAX_INLINE_OFFSET = 28;
  static final int PORT_OFFSET = 32;
  static final int MTU_OFFSET = 36;
  static final int MAX_READS_OFFSET = 40;
  static final int IS_INFINIBAND_OFFSET = 44;
  static final int NAME_OFFSET = 48;
  static final int NAME_BYTES = 64;
  static final int SIZE = 112;

  static final int ATOMICS = 1;
  static final int FLUSH_GLOBAL = 1 << 1;
  static final int FLUSH_PERSISTENT = 1 << 2;
  static final int ATOMIC_WRITES = 1 << 3;
  static final int MEMORY_WINDOW_TYPE_2B = 1 << 4;

  private DeviceInfoLayout() {}
}
