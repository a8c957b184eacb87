// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.testing.Await;
import dev.verbena.testing.ChildJvm;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.ConnectionRequest;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.QueuePair;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** A directory of its own for devices, and the ways in which ends on them are connected. */
final class FaultBed implements AutoCloseable {
  private static final byte[] NOTHING = {};

  private final CarrierPolicy policy;
  private final Path directory;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "fault-bed");
            thread.setDaemon(true);
            return thread;
          });

  FaultBed(CarrierPolicy policy) {
    this.policy = policy;
    try {
      directory = Files.createTempDirectory(Path.of("/dev/shm"), "verbena-faults-");
    } catch (IOException e) {
      throw new UncheckedIOException("no directory for the devices", e);
    }
  }

  Device open(String plan) {
    return open(directory, policy, plan);
  }

  static Device open(Path directory, CarrierPolicy policy, String plan) {
    return new SoftProvider()
        .open(
            DeviceOptions.defaults().withDirectory(directory).withCarrier(policy).withFaults(plan));
  }

  /** The faults of a device that has a plan. */
  static PlannedFaults port(Device device) {
    return (PlannedFaults) ((SoftDevice) device).faults();
  }

  Future<?> async(Runnable task) {
    return threads.submit(task);
  }

  /** Connects both queue pairs of two ends of this process. */
  void connect(FaultEnd active, FaultEnd passive) {
    connect(active.device(), active.queuePair(), passive.device(), passive.queuePair());
    connect(active.device(), active.idle(), passive.device(), passive.idle());
  }

  void connect(Device from, QueuePair active, Device to, QueuePair passive) {
    try (Listener listener = listen(to)) {
      connect(from, active, listener, passive);
    }
  }

  void connect(Device from, QueuePair active, Listener listener, QueuePair passive) {
    Future<?> accepted = async(() -> next(listener).accept(passive, NOTHING, deadline()));
    from.connect(active, new ConnectionParameters(listener.address(), null, NOTHING, deadline()));
    Await.result("accepting", accepted);
  }

  static Listener listen(Device device) {
    return device.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
  }

  static ConnectionRequest next(Listener listener) {
    try {
      ConnectionRequest request = listener.nextRequest(deadline());
      if (request == null) {
        throw new AssertionError("nobody connects");
      }
      return request;
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while listening", e);
    }
  }

  static Deadline deadline() {
    return Deadline.after(Await.PATIENCE);
  }

  /** A connected child and what it offers. */
  record Child(ChildJvm process, FaultOffer offer) {}

  /**
   * Starts a child whose device has faults, connects it to {@code end}, and lets it begin.
   *
   * @param plan its faults, which begin once both ends are ready
   * @param acts whether it runs rounds of the family until one fails; else it only serves
   */
  Child start(FaultEnd end, FaultFamily family, boolean acts, String plan) {
    try (Listener listener = listen(end.device())) {
      ChildJvm process =
          ChildJvm.start(
              FaultChild.class,
              directory.toString(),
              policy.name(),
              String.valueOf(listener.address().getPort()),
              family.name(),
              String.valueOf(acts),
              "held; " + plan);
      ConnectionRequest request = next(listener);
      FaultOffer offer = FaultOffer.decode(request.privateData());
      request.accept(end.queuePair(), end.offer().encode(), deadline());
      next(listener).accept(end.idle(), NOTHING, deadline());
      expectLine(process, FaultChild.READY);
      end.begin();
      process.tell(FaultChild.GO);
      expectLine(process, FaultChild.BEGUN);
      return new Child(process, offer);
    }
  }

  static void expectLine(ChildJvm process, String expected) {
    String line = process.nextLine();
    if (!line.equals(expected)) {
      throw new AssertionError("the child says " + line + ", not " + expected);
    }
  }

  /** What is in the directory. */
  List<String> files() {
    try (Stream<Path> found = Files.list(directory)) {
      return found.map(path -> path.getFileName().toString()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException("can't list " + directory, e);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
    List<String> left = files();
    if (!left.isEmpty()) {
      throw new AssertionError("left behind in " + directory + ": " + left);
    }
    try {
      Files.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException("can't delete " + directory, e);
    }
  }
}
