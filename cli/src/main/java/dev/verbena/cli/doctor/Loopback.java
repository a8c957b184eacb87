// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.ConnectionRequest;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Two devices of this process that talk over the loopback interface, as those of two processes
 * would. Each operation is checked for what it brought. One thread.
 */
final class Loopback implements AutoCloseable {
  private static final int BYTES = 1 << 20;
  private static final int MESSAGE = 64;
  private static final int ROUNDS = 200;
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final byte[] NOTHING = {};

  private final LoopbackEnd near;
  private final LoopbackEnd far;
  private final SendRequest request = new SendRequest(1);
  private final ReceiveRequest receive = new ReceiveRequest(1);

  private Loopback(LoopbackEnd near, LoopbackEnd far) {
    this.near = near;
    this.far = far;
  }

  /** Opens both ends and connects them. */
  static Loopback connect(String provider, DeviceOptions options) throws InterruptedException {
    LoopbackEnd near = LoopbackEnd.open(provider, options, BYTES);
    boolean connected = false;
    LoopbackEnd far = null;
    try {
      far = LoopbackEnd.open(provider, options, BYTES);
      join(near, far);
      connected = true;
      return new Loopback(near, far);
    } finally {
      if (!connected) {
        near.close();
        if (far != null) {
          far.close();
        }
      }
    }
  }

  private static void join(LoopbackEnd near, LoopbackEnd far) throws InterruptedException {
    Deadline deadline = Deadline.after(PATIENCE);
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (Listener listener = far.device().listen(any, 1)) {
      CompletableFuture<byte[]> connecting =
          CompletableFuture.supplyAsync(
              () ->
                  near.device()
                      .connect(
                          near.queuePair(),
                          new ConnectionParameters(listener.address(), null, NOTHING, deadline)));
      ConnectionRequest request = listener.nextRequest(deadline);
      if (request == null) {
        throw new VerbsException(VerbsException.Code.TIMED_OUT, "no connect came in");
      }
      request.accept(far.queuePair(), NOTHING, deadline);
      connecting.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof VerbsException cause ? cause : e;
    }
  }

  /** What carries the operations. */
  String carrier() {
    return near.queuePair().carrier().orElseThrow();
  }

  /** Mean microseconds of a 64-byte SEND until the peer's RECV completes. */
  double send() throws InterruptedException {
    long nanos = 0;
    for (int i = 0; i < ROUNDS; i++) {
      Deadline deadline = Deadline.after(PATIENCE);
      far.queuePair()
          .postReceive(
              receive.begin(i).buffer(far.region().address(), MESSAGE, far.region().localKey()));
      near.memory().putLong(0, i + 1L);
      long started = System.nanoTime();
      near.queuePair().postSend(local(request.send(i), MESSAGE).signaled());
      far.awaitCompletion(deadline);
      nanos += System.nanoTime() - started;
      near.awaitCompletion(deadline);
      check(far.memory().getLong(0), i + 1L, "SEND");
    }
    return nanos / 1e3 / ROUNDS;
  }

  /** Mean microseconds of a WRITE of 1 MiB. */
  double write() throws InterruptedException {
    return transfer(true);
  }

  /** Mean microseconds of a READ of 1 MiB. */
  double read() throws InterruptedException {
    return transfer(false);
  }

  private double transfer(boolean write) throws InterruptedException {
    LoopbackEnd source = write ? near : far;
    LoopbackEnd target = write ? far : near;
    long nanos = 0;
    for (int i = 0; i < ROUNDS / 10; i++) {
      long first = (write ? 1L : -1L) * (i + 1);
      source.memory().putLong(0, first);
      source.memory().putLong(BYTES - Long.BYTES, ~first);
      long address = far.region().address();
      int key = far.region().remoteKey();
      long started = System.nanoTime();
      SendRequest begun = write ? request.write(i, address, key) : request.read(i, address, key);
      near.queuePair().postSend(local(begun, BYTES).signaled());
      near.awaitCompletion(Deadline.after(PATIENCE));
      nanos += System.nanoTime() - started;
      check(target.memory().getLong(0), first, write ? "WRITE" : "READ");
      check(target.memory().getLong(BYTES - Long.BYTES), ~first, write ? "WRITE" : "READ");
    }
    return nanos / 1e3 / (ROUNDS / 10);
  }

  private SendRequest local(SendRequest begun, int length) {
    return begun.buffer(near.region().address(), length, near.region().localKey());
  }

  private static void check(long found, long expected, String operation) {
    if (found != expected) {
      throw new LoopbackException(
          "%s brought %x, expected %x".formatted(operation, found, expected));
    }
  }

  @Override
  public void close() {
    near.close();
    far.close();
  }
}
