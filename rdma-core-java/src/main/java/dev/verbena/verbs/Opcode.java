// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

/** What a completion completes: ibv_wc_opcode of ibv_poll_cq(3). */
public enum Opcode {
  /** A SEND, with or without immediate. */
  SEND,
  /** An RDMA WRITE, with or without immediate. */
  WRITE,
  /** An RDMA READ. */
  READ,
  /** An atomic compare and swap. */
  COMPARE_AND_SWAP,
  /** An atomic fetch and add. */
  FETCH_AND_ADD,
  /** A FLUSH. */
  FLUSH,
  /** An ATOMIC_WRITE. */
  ATOMIC_WRITE,
  /** A bind of a window. */
  BIND_WINDOW,
  /** A local invalidate. */
  LOCAL_INVALIDATE,
  /** A RECV consumed by a SEND. */
  RECEIVE,
  /** A RECV consumed by a WRITE with immediate; its buffers are untouched. */
  RECEIVE_WRITE_WITH_IMMEDIATE
}
