// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;
import dev.verbena.memory.MappedMemory;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionChannel;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.VerbsProvider;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;

/** One end of a verbs connection with memory that its peer may use. */
final class VerbsEnd implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int OFFER = Long.BYTES + Integer.BYTES;
  private static final int COMPLETIONS = 1024;

  private final Device device;
  private final CompletionChannel channel;
  private final CompletionQueue completions;
  private final ProtectionDomain domain;
  private final QueuePair queuePair;
  private final MappedMemory memory;
  private final MemoryRegion region;
  private long remoteAddress;
  private int remoteKey;

  /**
   * Opens a device of provider soft.
   *
   * @param directory where it keeps its segments
   * @param bytes of its memory
   */
  VerbsEnd(Path directory, DeviceOptions.CarrierPolicy carrier, long bytes) {
    device =
        VerbsProvider.named("soft")
            .open(DeviceOptions.defaults().withDirectory(directory).withCarrier(carrier));
    channel = device.createCompletionChannel();
    completions = device.createCompletionQueue(COMPLETIONS, channel);
    domain = device.createProtectionDomain();
    queuePair = domain.createQueuePair(QueuePairAttributes.of(completions, completions));
    memory = device.allocate(bytes);
    region =
        domain.register(
            memory,
            0,
            bytes,
            EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ));
  }

  Listener listen(InetSocketAddress address) {
    return device.listen(address, 1);
  }

  void connect(InetSocketAddress address) {
    Deadline deadline = Deadline.after(PATIENCE);
    takeOffer(
        device.connect(queuePair, new ConnectionParameters(address, null, offer(), deadline)));
  }

  void accept(Listener listener) {
    Deadline deadline = Deadline.after(PATIENCE);
    try {
      var request = listener.nextRequest(deadline);
      if (request == null) {
        throw new IntegrationException("nobody connected to " + listener.address());
      }
      takeOffer(request.privateData());
      request.accept(queuePair, offer(), deadline);
    } catch (InterruptedException e) {
      throw new IntegrationException("interrupted while listening", e);
    }
  }

  private byte[] offer() {
    return ByteBuffer.allocate(OFFER).putLong(region.address()).putInt(region.remoteKey()).array();
  }

  private void takeOffer(byte[] offer) {
    ByteBuffer fields = ByteBuffer.wrap(offer);
    remoteAddress = fields.getLong();
    remoteKey = fields.getInt();
  }

  /** What carries the traffic. */
  String carrier() {
    return queuePair.carrier().orElse("none");
  }

  QueuePair queuePair() {
    return queuePair;
  }

  CompletionQueue completions() {
    return completions;
  }

  CompletionChannel channel() {
    return channel;
  }

  MemoryRegion region() {
    return region;
  }

  long remoteAddress() {
    return remoteAddress;
  }

  int remoteKey() {
    return remoteKey;
  }

  @Override
  public void close() {
    queuePair.close();
    region.close();
    memory.close();
    domain.close();
    completions.close();
    channel.close();
    device.close();
  }
}
