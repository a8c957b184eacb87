// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.memory.DurabilityMethod;
import dev.verbena.memory.MappedMemory;
import dev.verbena.memory.PersistentRegion;
import dev.verbena.testing.Await;
import dev.verbena.testing.mutation.Watch;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.WorkCompletion;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A device with memory that a raw tcp peer is after, and one connection to it at a time. */
final class TcpSession implements AutoCloseable {
  static final int WHOLE = FrameLayout.FIRST | FrameLayout.LAST;
  static final int REGION = FrameLayout.MAX_PAYLOAD + 64;

  private static final int BEFORE = 4096;
  private static final byte OLD = 0x11;
  private static final byte NEW = 0x22;

  private final SoftConnector connector = new SoftConnector();
  final SoftDevice device = (SoftDevice) SoftConnector.open(CarrierPolicy.TCP_ONLY);
  final SoftProtectionDomain domain = (SoftProtectionDomain) device.createProtectionDomain();
  final MappedMemory memory = device.allocate(BEFORE + REGION + BEFORE);
  final MemoryRegion region =
      register(EnumSet.complementOf(EnumSet.of(AccessFlag.FLUSH_PERSISTENT)));
  final MemoryRegion unreachable = register(EnumSet.of(AccessFlag.LOCAL_WRITE));
  final MemoryRegion forAtomics =
      register(EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC));
  final MemoryRegion forWrites =
      register(EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
  final AtomicInteger persisted = new AtomicInteger();
  final CountDownLatch persists = new CountDownLatch(1);
  final MemoryRegion persistent =
      domain.register(new Disk(), BEFORE, REGION, EnumSet.of(AccessFlag.FLUSH_PERSISTENT));
  SoftConnector.End own;
  RawTcpPeer peer;
  private long links;

  /** Adds an attack that has a session of its own. */
  static void put(Map<String, Runnable> all, String name, Consumer<TcpSession> attack) {
    all.put(
        name,
        () -> {
          try (TcpSession session = new TcpSession()) {
            attack.accept(session);
          }
        });
  }

  /** Persists once {@link #persists} is open. */
  private final class Disk implements PersistentRegion {
    @Override
    public MappedMemory memory() {
      return memory;
    }

    @Override
    public void persist(long offset, long length) {
      try {
        if (persists.await(Watch.patience().toMillis(), TimeUnit.MILLISECONDS)) {
          persisted.incrementAndGet();
        }
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public DurabilityDomain domain() {
      return DurabilityDomain.POWER;
    }

    @Override
    public DurabilityMethod method() {
      return DurabilityMethod.MSYNC;
    }
  }

  TcpSession() {
    reconnect();
  }

  private MemoryRegion register(Set<AccessFlag> access) {
    return domain.register(memory, BEFORE, REGION, access);
  }

  /** A new queue pair and peer, and memory as it was. */
  void reconnect() {
    if (peer != null) {
      peer.close();
    }
    own = SoftConnector.end(device, domain);
    peer = new RawTcpPeer(connector, device, own.queuePair(), ++links);
    byte[] old = new byte[(int) memory.size()];
    Arrays.fill(old, OLD);
    memory.put(0, old, 0, old.length);
  }

  long address(long offset) {
    return region.address() + offset;
  }

  /** A frame for the region, its payload of new bytes. */
  ByteBuffer frame(int type, int flags, int request, long offset, int payload) {
    ByteBuffer frame = peer.frame(type, flags, request, payload);
    for (int i = 0; i < payload; i++) {
      frame.put(FrameLayout.HEADER_SIZE + i, NEW);
    }
    return RawTcpPeer.at(frame, region.remoteKey(), address(offset));
  }

  ByteBuffer write(int request, long offset, int payload) {
    return frame(FrameLayout.WRITE, WHOLE, request, offset, payload);
  }

  /** The frame is answered by a NAK, breaks the queue pair, and changes nothing. */
  void refused(ByteBuffer frame, int status) {
    refusedSend(frame, status);
    reconnect();
  }

  /** As {@link #refused}, and {@link #expectFailedReceive} is to follow. */
  void refusedSend(ByteBuffer frame, int status) {
    peer.send(frame);
    peer.expect(FrameLayout.NAK, frame.getInt(FrameLayout.REQUEST_OFFSET), status);
    awaitError();
    expectNew(0, 0);
  }

  void expectFailedReceive(CompletionStatus status) {
    expectCompletion(status);
    reconnect();
  }

  void awaitError() {
    Await.until(
        Watch.patience(), "the break", () -> own.queuePair().state() == QueuePair.State.ERROR);
  }

  /** The frame ends the link, and changes nothing. */
  void endsLink(ByteBuffer frame) {
    peer.send(frame);
    RawTcpPeer.Frame answer = peer.next();
    assertThat(answer).as("the end of the link").isNull();
    awaitError();
    expectNew(0, 0);
    reconnect();
  }

  /** A first request of the own end and its answer, before which all frames are taken in. */
  void awaitFramesSoFar() {
    own.post(new SendRequest(1).write(0, 0, 0).signaled());
    peer.expect(FrameLayout.WRITE, 0);
    peer.send(frame(FrameLayout.ACK, 0, 0, 0, 0));
    expectCompletion(CompletionStatus.SUCCESS);
  }

  /** Of all memory exactly these bytes are new. */
  void expectNew(int offset, int count) {
    byte[] all = new byte[(int) memory.size()];
    memory.get(0, all, 0, all.length);
    for (int i = 0; i < all.length; i++) {
      boolean isNew = i >= BEFORE + offset && i < BEFORE + offset + count;
      if (all[i] != (isNew ? NEW : OLD)) {
        throw new AssertionError("byte " + (i - BEFORE) + " of the region is " + all[i]);
      }
    }
  }

  /** Posts a RECV with buffers of these lengths, one behind the other. */
  void postReceive(long offset, int... lengths) {
    ReceiveRequest request = new ReceiveRequest(4).begin(offset);
    long at = offset;
    for (int length : lengths) {
      request.buffer(address(at), length, region.localKey());
      at += length;
    }
    own.queuePair().postReceive(request);
  }

  WorkCompletion expectCompletion(CompletionStatus status) {
    WorkCompletion completion = own.next();
    assertThat(completion.status()).isEqualTo(status);
    return completion;
  }

  @Override
  public void close() {
    peer.close();
    device.close();
    connector.close();
  }
}
