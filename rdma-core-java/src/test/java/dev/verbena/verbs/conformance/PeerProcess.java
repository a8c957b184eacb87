// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.Await;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.WorkCompletion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The other end of {@link ProcessConformance}, in a JVM of its own: connects, tells about its
 * memory in the private data, plays its part, and leaves when its input ends.
 *
 * <p>Arguments: provider class, directory, address, port, part.
 */
final class PeerProcess {
  /** Bytes of the memory that a peer process offers. */
  static final int MEMORY = 4 << 20;

  /** Bytes of private data: region address and key. */
  static final int PRIVATE_BYTES = Long.BYTES + Integer.BYTES;

  /** What a peer process does once connected. */
  enum Part {
    /** Posts nothing and waits to be killed. */
    IDLE,
    /** Sends each message back. */
    ECHO,
    /** WRITEs into the memory it was told of until that fails. */
    WRITE_ON,
    /** Exits at once without closing anything. */
    EXIT
  }

  private final Device device;
  private final CompletionQueue completions;
  private final QueuePair queuePair;
  private final MemoryRegion region;
  private final WorkCompletion[] batch = WorkCompletion.array(1);

  private PeerProcess(Device device) {
    this.device = device;
    completions = device.createCompletionQueue(256, null);
    ProtectionDomain domain = device.createProtectionDomain();
    queuePair =
        domain.createQueuePair(
            QueuePairAttributes.of(completions, completions)
                .withRnrRetries(1000, Await.PATIENCE.dividedBy(1000)));
    MappedMemory memory = device.allocate(MEMORY);
    region = domain.register(memory, 0, MEMORY, Endpoint.ALL_ACCESS);
  }

  /** Runs the part. */
  public static void main(String[] args) throws IOException {
    VerbsUnderTest provider = VerbsUnderTest.named(args[0]);
    PeerProcess self = new PeerProcess(provider.open(Path.of(args[1])));
    Part part = Part.valueOf(args[4]);
    if (part == Part.ECHO) {
      self.receive();
    }
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getByName(args[2]), Integer.parseInt(args[3]));
    byte[] answer = self.connect(address);
    System.out.println("connected");
    switch (part) {
      case IDLE -> awaitEndOfInput();
      case ECHO -> self.echo();
      case WRITE_ON -> self.writeOn(ByteBuffer.wrap(answer));
      case EXIT -> Runtime.getRuntime().halt(3);
    }
    self.close();
  }

  private byte[] connect(InetSocketAddress address) {
    ByteBuffer offer = ByteBuffer.allocate(PRIVATE_BYTES);
    offer.putLong(region.address()).putInt(region.remoteKey());
    return device.connect(
        queuePair,
        new ConnectionParameters(address, null, offer.array(), Deadline.after(Await.PATIENCE)));
  }

  /** Until the peer disconnects. */
  private void echo() {
    while (true) {
      WorkCompletion received = next();
      if (!received.isSuccess()) {
        return;
      }
      int length = received.byteLength();
      queuePair.postSend(
          new SendRequest(1)
              .send(1)
              .buffer(region.address(), length, region.localKey())
              .signaled());
      if (!next().isSuccess()) {
        return;
      }
      receive();
    }
  }

  private void receive() {
    queuePair.postReceive(
        new ReceiveRequest(1).begin(0).buffer(region.address(), MEMORY, region.localKey()));
  }

  private void writeOn(ByteBuffer target) {
    long address = target.getLong();
    int key = target.getInt();
    WorkCompletion done;
    do {
      queuePair.postSend(
          new SendRequest(1)
              .write(1, address, key)
              .buffer(region.address(), MEMORY, region.localKey())
              .signaled());
      done = next();
    } while (done.isSuccess());
    System.out.println(done.status());
  }

  private WorkCompletion next() {
    Await.until("a completion", () -> completions.poll(batch) == 1);
    return batch[0];
  }

  private void close() {
    queuePair.close();
    region.close();
    region.memory().close();
    device.close();
  }

  private static void awaitEndOfInput() throws IOException {
    while (System.in.read() >= 0) {
      Thread.onSpinWait();
    }
  }
}
