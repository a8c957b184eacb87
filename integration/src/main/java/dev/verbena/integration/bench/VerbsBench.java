// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The two ends of {@code bench verbs} over one carrier: this JVM, the near one, and a far one.
 *
 * <p>Each carrier has JVMs of its own, so that the compiler's profile of one does not spoil the
 * other's.
 */
final class VerbsBench implements AutoCloseable {
  private static final int PIECE = 1 << 20;

  private final Path directory;
  private final Sizes sizes;
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final FarJvm far;
  private final VerbsEnd near;
  private final PingPong verbsPingPong;
  private final WritePass writes;

  /**
   * How much is measured.
   *
   * @param warmUps rounds not counted
   * @param rounds rounds counted
   * @param messages of a round of ping-pong
   * @param pieces of 1 MiB of a pass, at each end
   * @param allocationMessages messages watched for allocation
   */
  record Sizes(int warmUps, int rounds, int messages, int pieces, int allocationMessages) {}

  VerbsBench(Path directory, CarrierPolicy policy, VerbsEcho.Waiting waiting, Sizes sizes) {
    this.directory = directory;
    this.sizes = sizes;
    far = own(FarJvm.start());
    long bytes = (long) PIECE * sizes.pieces();
    near = new VerbsEnd(directory, policy, bytes);
    Echo echo = own(new VerbsEcho(near, waiting));
    String port =
        far.ask(
            String.join(
                " ",
                FarMain.VERBS,
                "verbena",
                directory.toString(),
                policy.name(),
                waiting.name(),
                String.valueOf(bytes)));
    near.connect(loopback(port));
    FarJvm.expect(near.carrier(), far.answer());
    verbsPingPong = new PingPong("verbena", echo, far, sizes.messages());
    writes = new WritePass(near, PIECE, sizes.pieces());
  }

  FarJvm far() {
    return far;
  }

  String carrier() {
    return near.carrier();
  }

  /** 64-byte SEND and RECV beside a bare ping-pong on shared words. */
  Comparison pingPongBesideSharedWords() {
    Path file = directory.resolve("words");
    Echo bare = own(SharedWordEcho.create(file));
    FarJvm.expect("ready", far.ask(FarMain.WORDS + " shared_words " + file));
    return compare(new PingPong("shared_words", bare, far, sizes.messages()));
  }

  /** 64-byte SEND and RECV beside a plain TCP connection. */
  Comparison pingPongBesideSocket() {
    String port = far.ask(FarMain.SOCKET + " plain_tcp");
    Echo plain = own(SocketEcho.connect(loopback(port)));
    FarJvm.expect("ready", far.answer());
    return compare(new PingPong("plain_tcp", plain, far, sizes.messages()));
  }

  private Comparison compare(PingPong rival) {
    Metric rtt = new Metric("pingpong_64B_" + carrier(), "rtt", "us", Metric.Better.LOWER);
    return Comparison.run(rtt, verbsPingPong, rival, sizes.warmUps(), sizes.rounds());
  }

  /** 1 MiB WRITEs beside copies between two mapped files. */
  Comparison writeBesideCopy() {
    try (CopyPass copy = new CopyPass(directory, PIECE, sizes.pieces())) {
      Metric rate = new Metric("write_1MiB_" + carrier(), "rate", "MB/s", Metric.Better.HIGHER);
      return Comparison.run(rate, writes, copy, sizes.warmUps(), sizes.rounds());
    }
  }

  /** Heap bytes that both ends' threads take for {@link Sizes#allocationMessages} messages. */
  long allocatedByMessages() {
    verbsPingPong.allocated(sizes.allocationMessages());
    return verbsPingPong.allocated(sizes.allocationMessages());
  }

  /** Heap bytes for a pass of WRITEs. */
  long allocatedByWrites() {
    writes.allocatedByWrites(sizes.allocationMessages() / 10);
    return writes.allocatedByWrites(sizes.pieces());
  }

  /** Heap bytes for a pass of READs. */
  long allocatedByReads() {
    writes.allocatedByReads(sizes.allocationMessages() / 10);
    return writes.allocatedByReads(sizes.pieces());
  }

  private <T extends AutoCloseable> T own(T resource) {
    open.push(resource);
    return resource;
  }

  private static InetSocketAddress loopback(String port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
  }

  @Override
  public void close() {
    for (AutoCloseable resource : open) {
      try {
        resource.close();
      } catch (Exception e) {
        throw new IntegrationException("cannot close " + resource, e);
      }
    }
  }
}
