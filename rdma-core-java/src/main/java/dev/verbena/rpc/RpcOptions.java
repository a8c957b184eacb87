// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.time.Duration;
import java.util.Objects;

/**
 * How a client or a server speaks. Immutable; start from {@link #of} and change what differs.
 *
 * @param secret shared by all who may talk to each other
 * @param eagerBytes size of a receive buffer: longer messages go by rendezvous; 1 KiB to 1 MiB
 * @param receiveDepth receive buffers a connection, which are the credits of the peer; 4 to 4096
 * @param maxMessage longest request or response in bytes, up to 1 GiB
 * @param bufferBytes registered memory, at most, for messages that go by rendezvous: half for each
 *     direction, so at least twice the power of two that holds {@code maxMessage}
 * @param maxConnections connections that a server accepts, and that a client opens
 * @param maxOutstanding calls that a client has open, and a server takes, on one connection
 * @param maxUnauthenticated connections of a server that may be in the handshake at one time
 * @param handshakeTimeout how long connecting a queue pair, and then a handshake, may take on the
 *     server's side
 * @param workers threads that run handlers
 * @param maxQueuedCalls calls of a server that may wait for a worker; further ones are refused
 * @param waiting how threads wait for completions
 */
public record RpcOptions(
    RpcSecret secret,
    int eagerBytes,
    int receiveDepth,
    long maxMessage,
    long bufferBytes,
    int maxConnections,
    int maxOutstanding,
    int maxUnauthenticated,
    Duration handshakeTimeout,
    int workers,
    int maxQueuedCalls,
    WaitStrategy waiting) {

  /** The most that {@link #handshakeTimeout} can be. */
  public static final Duration LONGEST_HANDSHAKE = Duration.ofMinutes(10);

  /** Checks each value against its range. */
  public RpcOptions {
    Objects.requireNonNull(secret, "secret");
    Objects.requireNonNull(waiting, "waiting");
    check("eagerBytes", eagerBytes, 1 << 10, 1 << 20);
    check("receiveDepth", receiveDepth, 4, 4096);
    check("maxMessage", maxMessage, eagerBytes, 1 << 30);
    check("bufferBytes", bufferBytes, 2 * BufferPool.roundUp(maxMessage), Long.MAX_VALUE);
    check("maxConnections", maxConnections, 1, 1 << 20);
    check("maxOutstanding", maxOutstanding, 1, 1 << 20);
    check("maxUnauthenticated", maxUnauthenticated, 1, maxConnections);
    check("handshakeTimeout in ms", handshakeTimeout.toMillis(), 1, LONGEST_HANDSHAKE.toMillis());
    check("workers", workers, 1, 1024);
    check("maxQueuedCalls", maxQueuedCalls, 1, 1 << 24);
  }

  /** The usual values: 4 KiB eager, 32 credits, messages to 64 MiB in at most 256 MiB. */
  public static RpcOptions of(RpcSecret secret) {
    return new RpcOptions(
        secret,
        4096,
        32,
        64L << 20,
        256L << 20,
        4096,
        1024,
        64,
        Duration.ofSeconds(5),
        Math.max(2, Runtime.getRuntime().availableProcessors()),
        16_384,
        WaitStrategy.adaptive());
  }

  private static void check(String what, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "RPC option " + what + " is " + value + ", expected " + least + " to " + most);
    }
  }

  /** The same with other receive buffers. */
  public RpcOptions withReceiveBuffers(int bytes, int depth) {
    return new RpcOptions(
        secret,
        bytes,
        depth,
        Math.max(maxMessage, bytes),
        bufferBytes,
        maxConnections,
        maxOutstanding,
        maxUnauthenticated,
        handshakeTimeout,
        workers,
        maxQueuedCalls,
        waiting);
  }

  /** The same with other bounds on large messages. */
  public RpcOptions withMessages(long longest, long memory) {
    return new RpcOptions(
        secret,
        eagerBytes,
        receiveDepth,
        longest,
        memory,
        maxConnections,
        maxOutstanding,
        maxUnauthenticated,
        handshakeTimeout,
        workers,
        maxQueuedCalls,
        waiting);
  }

  /** The same with other bounds on connections. */
  public RpcOptions withConnections(int most, int unauthenticated, Duration handshake) {
    return new RpcOptions(
        secret,
        eagerBytes,
        receiveDepth,
        maxMessage,
        bufferBytes,
        most,
        maxOutstanding,
        unauthenticated,
        handshake,
        workers,
        maxQueuedCalls,
        waiting);
  }

  /** The same with other bounds on open calls: on a connection, and waiting for a worker. */
  public RpcOptions withCalls(int outstanding, int threads, int queued) {
    return new RpcOptions(
        secret,
        eagerBytes,
        receiveDepth,
        maxMessage,
        bufferBytes,
        maxConnections,
        outstanding,
        maxUnauthenticated,
        handshakeTimeout,
        threads,
        queued,
        waiting);
  }

  /** The same with another way to wait. */
  public RpcOptions withWaiting(WaitStrategy other) {
    return new RpcOptions(
        secret,
        eagerBytes,
        receiveDepth,
        maxMessage,
        bufferBytes,
        maxConnections,
        maxOutstanding,
        maxUnauthenticated,
        handshakeTimeout,
        workers,
        maxQueuedCalls,
        other);
  }
}
