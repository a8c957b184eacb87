// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

import java.util.Optional;

/**
 * A reliable-connected queue pair: ibv_post_send(3), ibv_post_recv(3), and their place in the state
 * machine of ibv_modify_qp(3), which connecting and failing drive.
 *
 * <p>Requests of the send queue start in the order they were posted; their completions come in that
 * order. WRITEs and SENDs of one queue pair reach the peer's memory and RECVs in order, a READ or
 * an atomic may be overtaken unless the later request is fenced. Atomics are atomic against those
 * of every requester of the same device. Requests posted in state ERROR complete as flushed.
 * Posting is thread-safe, but one thread per queue at a time is the fast case.
 */
public interface QueuePair extends AutoCloseable {
  /** States of the machine; the transient ones are not shown. */
  enum State {
    /** Made, not connected: RECVs may be posted. */
    RESET,
    /** Connected, both queues work. */
    READY_TO_SEND,
    /** Connected, but no further request of the send queue begins; RECVs work. */
    SEND_QUEUE_DRAINED,
    /** Broken or closed: everything is flushed. */
    ERROR
  }

  /** The number, which completions carry. */
  int number();

  /** The state now; it may change right after. */
  State state();

  /**
   * Changes the state: ibv_modify_qp(3). The application may hold the send queue (READY_TO_SEND to
   * SEND_QUEUE_DRAINED: requests that began go on to their end, which {@link
   * AsyncEvent.Type#SEND_QUEUE_DRAINED} tells; others can be posted and wait), let it go on
   * (SEND_QUEUE_DRAINED to READY_TO_SEND), and break the connection (any state to ERROR). What is
   * between RESET and READY_TO_SEND is the connection manager's, and from ERROR there is no way
   * back.
   *
   * @throws VerbsException INVALID_STATE for any other change
   */
  void modify(State next);

  /** Limits, queues and class it was made with. */
  QueuePairAttributes attributes();

  /**
   * What carries the traffic once connected, as counted in reports: "shm" or "tcp" for the software
   * NIC, "rxe" or the hardware's name for real devices; empty before.
   */
  Optional<String> carrier();

  /**
   * Posts a RECV.
   *
   * @throws VerbsException RECEIVE_QUEUE_FULL, or INVALID_ARGUMENT with the limit exceeded or if
   *     the queue pair draws from a shared receive queue
   */
  void postReceive(ReceiveRequest request);

  /**
   * Posts one request and rings the doorbell.
   *
   * @throws VerbsException SEND_QUEUE_FULL, INVALID_STATE before the connection, or
   *     INVALID_ARGUMENT with the limit exceeded
   */
  void postSend(SendRequest request);

  /**
   * Posts the first {@code count} requests in order with one doorbell.
   *
   * @return how many were accepted: fewer than {@code count} when the queue filled up; the first
   *     one not accepted is where to go on
   * @throws VerbsException as {@link #postSend(SendRequest)}, but never SEND_QUEUE_FULL; then none
   *     was posted
   */
  int postSend(SendRequest[] requests, int count);

  /**
   * Opens a range of the peer's memory for direct loads, if both ends share a host: the same check
   * of key and range as a READ, without a work request. Empty where the carrier can't.
   *
   * @throws VerbsException INVALID_STATE if not connected, REJECTED if the key does not open the
   *     range
   */
  Optional<RemoteMapping> mapRemote(long remoteAddress, long length, int remoteKey);

  /** Ends the connection: both ends go to ERROR, outstanding requests are flushed. */
  void disconnect();

  /**
   * Disconnects and frees the queue pair. Completions not yet polled stay in their queues, those of
   * outstanding requests appear as flushed.
   */
  @Override
  void close();
}
