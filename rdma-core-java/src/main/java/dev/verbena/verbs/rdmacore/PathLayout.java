// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

/**
 * How a queue pair becomes ready, and what was found then: {@code struct vb_path}, in host byte
 * order.
 *
 * <pre>
 *   0    MTU:32                    enum ibv_mtu: in, the largest that both ends take; out, in use
 *   4    RNR timer:32, RNR retries:32   as in struct ibv_qp_attr
 *   12   timeout:32, retries:32    as in struct ibv_qp_attr
 *   20   GID index:32              out
 *   24   GID type:32               out: enum ibv_gid_type, -1 if it can't be told
 *   28   path is routed:32         out: it has a GID, as on Ethernet always
 *   32   GID:128                   out
 * </pre>
 */
final class PathLayout {
  static final int MTU_OFFSET = 0;
  static final int RNR_TIMER_OFFSET = 4;
  static final int RNR_RETRIES_OFFSET = 8;
  static final int TIMEOUT_OFFSET = 12;
  static final int RETRIES_OFFSET = 16;
  static final int GID_INDEX_OFFSET = 20;
  static final int GID_TYPE_OFFSET = 24;
  static final int IS_ROUTED_OFFSET = 28;
  static final int GID_OFFSET = 32;
  static final int GID_BYTES = 16;
  static final int SIZE = 48;

  static final int GID_TYPE_ROCE_V1 = 1;

  private PathLayout() {}
}
