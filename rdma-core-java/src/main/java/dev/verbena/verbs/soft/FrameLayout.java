// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

/**
 * A frame of carrier tcp. Big-endian; the payload, at most {@link #MAX_PAYLOAD} bytes, follows the
 * header.
 *
 * <pre>
 *   0               4       5       6       7       8
 *   +---------------+-------+-------+-------+-------+
 *   |  payload      | type  | flags | status|   0   |
 *   +---------------+-------+-------+-------+-------+ 8
 *   |  incarnation  |  target queue pair    |
 *   +---------------+-----------------------+ 16
 *   |  request      |  key                  |
 *   +---------------+-----------------------+ 24
 *   |  address                              |
 *   +---------------+-----------------------+ 32
 *   |  immediate    |  total                |
 *   +---------------+-----------------------+ 40
 *   |  sequence     |   0                   |
 *   +---------------+-----------------------+ 48
 *
 *   SEND       part of a message of total bytes; FIRST and LAST mark its ends
 *   WRITE      part of a WRITE of total bytes, to go to address under key
 *   READ       asks for total bytes at address under key
 *   READ_DATA  part of the answer, in order; that of an atomic is the value found
 *   COMPARE_AND_SWAP, FETCH_AND_ADD, ATOMIC_WRITE, FLUSH
 *              at address under key; the payload is the entry's segment of operands
 *   ACK        the request, and all before it, are done
 *   NAK        all before the request are done, it failed with status (ibv_wc_status)
 *   RNR        all before the request are done, it needs a RECV: send it again from its start
 *   NOTHING    takes a number, for a request that the peer has no part in
 *   BROKEN     the queue pair at the sending end broke or disconnects
 * </pre>
 *
 * A SEND with INVALIDATE has the key in place of the immediate. The incarnation is the low half of
 * the target device's; the request is the requester's running number modulo 2^32. The sequence
 * counts the frames of one direction of a connection from 0: one that came before is passed over,
 * one too high ends the connection.
 */
final class FrameLayout {
  static final int HEADER_SIZE = 48;
  static final int MAX_PAYLOAD = 1 << 16;

  static final int PAYLOAD_OFFSET = 0;
  static final int TYPE_OFFSET = 4;
  static final int FLAGS_OFFSET = 5;
  static final int STATUS_OFFSET = 6;
  static final int INCARNATION_OFFSET = 8;
  static final int QUEUE_PAIR_OFFSET = 12;
  static final int REQUEST_OFFSET = 16;
  static final int KEY_OFFSET = 20;
  static final int ADDRESS_OFFSET = 24;
  static final int IMMEDIATE_OFFSET = 32;
  static final int TOTAL_OFFSET = 36;
  static final int SEQUENCE_OFFSET = 40;

  static final int SEND = 1;
  static final int WRITE = 2;
  static final int READ = 3;
  static final int READ_DATA = 4;
  static final int ACK = 5;
  static final int NAK = 6;
  static final int RNR = 7;
  static final int BROKEN = 8;
  static final int COMPARE_AND_SWAP = 9;
  static final int FETCH_AND_ADD = 10;

  static final int ATOMIC_WRITE = 11;
  static final int FLUSH = 12;
  static final int NOTHING = 13;

  static final int FIRST = 1;
  static final int LAST = 2;
  static final int IMMEDIATE = 4;
  static final int SOLICITED = 8;
  static final int INVALIDATE = 16;

  private FrameLayout() {}
}
