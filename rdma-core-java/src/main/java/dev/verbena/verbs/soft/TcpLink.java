// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.VerbsException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pair of this device and one tcp peer for one traffic class: one TCP connection that carries
 * the operations of all queue pairs joined over it. The device thread executes what comes in and
 * sends the answers in order; requests are sent by whoever runs a send queue.
 */
final class TcpLink implements SelectionHandler {
  private static final Logger LOG = LoggerFactory.getLogger(TcpLink.class);
  private static final int RECEIVE_CAPACITY = 1 << 18;

  /** Far more than the queue pairs of a peer can have under way. */
  private static final int MOST_ANSWERS = 1 << 20;

  private final SoftDevice device;
  private final Incarnation peer;
  private final SocketChannel socket;
  private final FrameWriter writer;
  private final ByteBuffer received = ByteBuffer.allocateDirect(RECEIVE_CAPACITY);
  private final Map<Integer, TcpConnection> connections = new HashMap<>();
  private final ArrayDeque<TcpAnswer> answers = new ArrayDeque<>();
  private final List<TcpConnection> toAcknowledge = new ArrayList<>();
  private TcpConnection latest;
  private int expected;
  private boolean resumes;
  private volatile SelectionKey selection;
  private volatile boolean dead;

  TcpLink(SoftDevice device, Incarnation peer, SocketChannel socket) {
    this.device = device;
    this.peer = peer;
    this.socket = socket;
    this.writer = new FrameWriter(socket, peer, device.faults());
  }

  void start() {
    device.thread().serve(socket, SelectionKey.OP_READ, this);
  }

  boolean isDead() {
    return dead;
  }

  FrameWriter writer() {
    return writer;
  }

  SoftDevice device() {
    return device;
  }

  /** Joins a queue pair to number {@code remote} of the peer; see {@link SoftQueuePair#join}. */
  TcpConnection connect(SoftQueuePair queuePair, int remote) {
    TcpConnection connection = new TcpConnection(queuePair, this, remote);
    synchronized (connections) {
      if (dead) {
        throw new VerbsException(VerbsException.Code.DISCONNECTED, "the peer is gone");
      }
      connections.put(queuePair.number(), connection);
    }
    device.thread().execute(connection.watch()::begin);
    return connection;
  }

  /** Device thread: nothing more goes to or from a connection. */
  void detach(TcpConnection connection) {
    synchronized (connections) {
      connections.remove(connection.number(), connection);
    }
    if (latest == connection) {
      latest = null;
    }
  }

  @Override
  public void ready(SelectionKey key) throws IOException {
    selection = key;
    if (key.isReadable()) {
      receive();
    }
    if (key.isValid() && key.isWritable()) {
      writable();
    }
  }

  private void receive() throws IOException {
    int count = socket.read(received);
    received.flip();
    try {
      while (received.remaining() >= FrameLayout.HEADER_SIZE) {
        int header = received.position();
        int payload = received.getInt(header + FrameLayout.PAYLOAD_OFFSET);
        if (payload < 0 || payload > FrameLayout.MAX_PAYLOAD) {
          throw new IOException("frame with a payload of " + payload + " bytes from " + peer);
        }
        if (received.remaining() < FrameLayout.HEADER_SIZE + payload) {
          break;
        }
        dispatch(header, payload);
        received.position(header + FrameLayout.HEADER_SIZE + payload);
        if (answers.size() > MOST_ANSWERS) {
          throw new IOException(peer + " asks on and takes no answer");
        }
      }
    } finally {
      received.compact();
    }
    acknowledge();
    if (count < 0) {
      throw new EOFException("peer closed");
    }
  }

  private void dispatch(int header, int payload) throws IOException {
    if (received.getInt(header + FrameLayout.INCARNATION_OFFSET)
        != (int) device.incarnation().low()) {
      throw new IOException("frame for another incarnation of this device from " + peer);
    }
    int sequence = received.getInt(header + FrameLayout.SEQUENCE_OFFSET);
    if (sequence - expected < 0) {
      return;
    }
    if (sequence != expected) {
      throw new IOException("frame " + expected + " from " + peer + " is lost, got " + sequence);
    }
    expected++;
    device.faults().at(FaultStep.FRAME_RECEIVED);
    int number = received.getInt(header + FrameLayout.QUEUE_PAIR_OFFSET);
    TcpConnection connection = latest;
    if (connection == null || connection.number() != number) {
      synchronized (connections) {
        connection = connections.get(number);
      }
      latest = connection;
    }
    if (connection == null) {
      // A closed queue pair: the peer was told when it broke.
      return;
    }
    int type = received.get(header + FrameLayout.TYPE_OFFSET);
    switch (type) {
      case FrameLayout.SEND,
          FrameLayout.WRITE,
          FrameLayout.READ,
          FrameLayout.COMPARE_AND_SWAP,
          FrameLayout.FETCH_AND_ADD,
          FrameLayout.ATOMIC_WRITE,
          FrameLayout.FLUSH,
          FrameLayout.NOTHING ->
          connection.target().execute(type, received, header, payload);
      case FrameLayout.READ_DATA -> connection.readData(received, header, payload);
      case FrameLayout.ACK, FrameLayout.NAK, FrameLayout.RNR ->
          connection.answered(
              type,
              received.getInt(header + FrameLayout.REQUEST_OFFSET),
              received.get(header + FrameLayout.STATUS_OFFSET));
      case FrameLayout.BROKEN -> connection.peerBroke();
      default -> throw new IOException("frame of unknown type " + type + " from " + peer);
    }
  }

  /** Device thread: remembers that a connection has requests to acknowledge after this batch. */
  void acknowledgeLater(TcpConnection connection) {
    toAcknowledge.add(connection);
  }

  private void acknowledge() throws IOException {
    for (TcpConnection connection : toAcknowledge) {
      connection.target().acknowledge();
    }
    toAcknowledge.clear();
    pump();
  }

  /** Device thread: an answer goes out after those before it. */
  void answer(TcpAnswer answer) {
    answers.add(answer);
    device.faults().at(FaultStep.ANSWERED);
  }

  /** Device thread, outside of a batch of frames: sends the answers that are due. */
  void sendAnswers() {
    try {
      pump();
    } catch (IOException e) {
      failed(e);
    }
  }

  /** From any thread: tells the peer's queue pair that its partner broke. */
  void tellBroken(int remoteQueuePair) {
    device
        .thread()
        .execute(
            () -> {
              if (dead) {
                return;
              }
              answer(TcpAnswer.broken(remoteQueuePair));
              sendAnswers();
            });
  }

  /** Device thread: sends answers as far as the socket takes them. */
  private void pump() throws IOException {
    writer.claim().claim();
    try {
      while (!answers.isEmpty() && answers.peek().send(writer)) {
        answers.poll();
      }
      if (!writer.flush() || !answers.isEmpty()) {
        awaitWritable();
      }
    } finally {
      writer.claim().release();
    }
  }

  /** Asks the device thread to call back when the socket takes more. */
  void awaitWritable() {
    long held = writer.heldNanos();
    if (held > 0) {
      device.thread().execute(() -> resumeAfter(held));
      return;
    }
    SelectionKey key = selection;
    if (key != null && key.isValid()) {
      key.interestOpsOr(SelectionKey.OP_WRITE);
      device.thread().wakeUp();
    } else {
      device
          .thread()
          .execute(
              () -> {
                SelectionKey late = socket.keyFor(device.thread().selector());
                if (late != null && late.isValid()) {
                  late.interestOpsOr(SelectionKey.OP_WRITE);
                }
              });
    }
  }

  private void resumeAfter(long nanos) {
    if (!resumes) {
      resumes = true;
      device.thread().schedule(Deadline.after(Duration.ofNanos(nanos)), this::resume);
    }
  }

  /** A model of the link lets frames pass again. */
  private void resume() {
    resumes = false;
    if (!dead) {
      try {
        goOn();
      } catch (IOException e) {
        failed(e);
      }
    }
  }

  private void writable() throws IOException {
    selection.interestOpsAnd(~SelectionKey.OP_WRITE);
    goOn();
  }

  private void goOn() throws IOException {
    pump();
    for (TcpConnection connection : snapshot()) {
      connection.queuePair().runner().redriveIfStalled();
    }
  }

  private List<TcpConnection> snapshot() {
    synchronized (connections) {
      return new ArrayList<>(connections.values());
    }
  }

  @Override
  public String toString() {
    return "tcp peer " + peer;
  }

  @Override
  public void failed(Exception cause) {
    synchronized (connections) {
      if (dead) {
        return;
      }
      dead = true;
    }
    LOG.debug("tcp link to {} ends", peer, cause);
    device.links().forget(this);
    try {
      socket.close();
    } catch (IOException e) {
      LOG.warn("closing the tcp link to {}", peer, e);
    }
    answers.clear();
    snapshot().forEach(connection -> connection.queuePair().peerLost());
  }
}
