// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pair of this device and one shm peer: the Unix socket that wakes and whose end means the peer
 * is gone, the peer's device area, keys and segments, and the queue pairs joined over it.
 */
final class ShmLink implements SelectionHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ShmLink.class);
  private static final byte WAKE = 1;
  private static final byte SEGMENTS_CHANGED = 2;
  private static final byte BROKE = 3;
  private static final byte LOOK_AT_LANES = 4;
  private static final byte FLUSH_ASKED = 5;
  private static final byte ERRAND_ASKED = 6;
  private static final byte ERRAND_DONE = 7;

  /** This many bytes at once may have filled the socket, and kept another kind of byte out. */
  private static final int FLOOD = 128;

  private static final int EVERYTHING = -1;

  private final SoftDevice device;
  private final Incarnation peer;
  private final SocketChannel socket;
  private final MappedMemory peerDeviceArea;
  private final KeyTable peerKeys;
  private final PeerSegments peerSegments;
  private final Set<SoftQueuePair> queuePairs = new HashSet<>();
  private final ByteBuffer received = ByteBuffer.allocateDirect(256);
  private volatile boolean dead;
  private boolean unmapped;

  ShmLink(SoftDevice device, Incarnation peer, SocketChannel socket, MappedMemory peerDeviceArea) {
    this.device = device;
    this.peer = peer;
    this.socket = socket;
    this.peerDeviceArea = peerDeviceArea;
    this.peerKeys = new KeyTable(peerDeviceArea, null);
    this.peerSegments = new PeerSegments(peerDeviceArea);
  }

  Incarnation peer() {
    return peer;
  }

  MappedMemory peerDeviceArea() {
    return peerDeviceArea;
  }

  KeyTable peerKeys() {
    return peerKeys;
  }

  PeerSegments peerSegments() {
    return peerSegments;
  }

  /** Whether the peer's process closed its device or died: nothing there runs any more. */
  boolean isDead() {
    return dead;
  }

  /** Adds a queue pair; false if the link is dead already. */
  boolean attach(SoftQueuePair queuePair) {
    synchronized (queuePairs) {
      return !dead && queuePairs.add(queuePair);
    }
  }

  /** Removes a queue pair whose engine and readers have ended. */
  void detach(SoftQueuePair queuePair) {
    synchronized (queuePairs) {
      queuePairs.remove(queuePair);
    }
    unmapIfUnused();
  }

  /** Gives a dead peer's memory back with the last queue pair that was joined to it. */
  private void unmapIfUnused() {
    synchronized (queuePairs) {
      if (!dead || !queuePairs.isEmpty() || unmapped) {
        return;
      }
      unmapped = true;
    }
    peerSegments.retireAll().forEach(MappedMemory::close);
    peerDeviceArea.close();
  }

  /** Wakes the peer's device thread: a completion queue of it was disarmed. */
  void wakePeer() {
    send(WAKE);
  }

  /** Tells the peer to look for queue pairs whose partner broke. */
  void tellBroke() {
    send(BROKE);
  }

  /**
   * Tells the peer that a shared receive queue of it should deal, or look at its limit, or that a
   * completion queue may be overrun.
   */
  void tellToLookAtLanes() {
    send(LOOK_AT_LANES);
  }

  /** Tells the peer that a FLUSH is in a queue pair's area. */
  void askFlush() {
    send(FLUSH_ASKED);
  }

  /** Tells the peer that an errand is in a queue pair's area. */
  void askErrand() {
    send(ERRAND_ASKED);
  }

  /** Tells the peer that an errand of it was answered. */
  void tellErrandDone() {
    send(ERRAND_DONE);
  }

  /** Tells the peer that mappings of this device's segments may be stale. */
  void tellSegmentsChanged() {
    send(SEGMENTS_CHANGED);
  }

  /** A full socket means that the peer has a flood to read already, so nothing is lost. */
  private void send(byte what) {
    if (dead) {
      return;
    }
    try {
      socket.write(ByteBuffer.wrap(new byte[] {what}));
    } catch (IOException e) {
      LOG.debug("peer {} is gone", peer, e);
      device.thread().execute(() -> failed(e));
    }
  }

  @Override
  public void ready(SelectionKey key) throws IOException {
    int told = 0;
    int total = 0;
    int count;
    while ((count = socket.read(received.clear())) > 0) {
      for (int i = 0; i < count; i++) {
        told |= 1 << received.get(i);
      }
      total += count;
    }
    act(total < FLOOD ? told : EVERYTHING);
    if (count < 0) {
      throw new IOException("peer closed");
    }
  }

  private void act(int told) {
    if (has(told, BROKE)) {
      device.breakThoseWhosePeerBroke();
    }
    if (has(told, FLUSH_ASKED)) {
      device.serveFlushes();
    }
    if (has(told, ERRAND_ASKED)) {
      device.serveErrands();
    }
    if (has(told, ERRAND_DONE)) {
      device.redriveStalled();
    }
    if (has(told, LOOK_AT_LANES)) {
      device.lookAtLanes();
    }
    if (has(told, WAKE)) {
      device.fireDisarmedQueues();
    }
    if (has(told, SEGMENTS_CHANGED)) {
      unmapStale(peerSegments.retire());
    }
  }

  private static boolean has(int told, byte what) {
    return (told & 1 << what) != 0;
  }

  /** Unmaps once every engine and reader that may have looked a mapping up has left it. */
  private void unmapStale(List<MappedMemory> stale) {
    if (stale.isEmpty()) {
      return;
    }
    for (SoftQueuePair queuePair : snapshot()) {
      queuePair.quiesce();
    }
    stale.forEach(MappedMemory::close);
  }

  private List<SoftQueuePair> snapshot() {
    synchronized (queuePairs) {
      return new ArrayList<>(queuePairs);
    }
  }

  @Override
  public String toString() {
    return "shm peer " + peer;
  }

  @Override
  public void failed(Exception cause) {
    List<SoftQueuePair> joined;
    synchronized (queuePairs) {
      if (dead) {
        return;
      }
      dead = true;
      joined = new ArrayList<>(queuePairs);
    }
    LOG.debug("link to {} ends", peer, cause);
    device.links().forget(this);
    try {
      socket.close();
    } catch (IOException e) {
      LOG.warn("closing the wake socket to {}", peer, e);
    }
    joined.forEach(SoftQueuePair::peerLost);
    device.fireDisarmedQueues();
    unmapIfUnused();
  }
}
