// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.DurabilityMethod;
import dev.verbena.testing.Await;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.ConnectionRequest;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Two devices and what a test makes on them. Closing it releases all in reverse order and checks
 * that every connection took the carrier under test and that no file is left.
 */
final class Fabric implements AutoCloseable {
  private static final byte[] NOTHING = {};

  private final VerbsUnderTest provider;
  private final Path directory;
  private final Device client;
  private final Device server;
  private final Deque<AutoCloseable> owned = new ConcurrentLinkedDeque<>();
  private final Deque<QueuePair> connected = new ConcurrentLinkedDeque<>();
  private final ExecutorService tasks =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "fabric-task");
            thread.setDaemon(true);
            return thread;
          });

  Fabric(VerbsUnderTest provider) {
    this.provider = provider;
    try {
      directory = Files.createTempDirectory(Path.of("/dev/shm"), "verbena-conformance-");
    } catch (IOException e) {
      throw new UncheckedIOException("no directory for the devices", e);
    }
    client = own(provider.open(directory));
    server = own(provider.open(directory));
  }

  VerbsUnderTest provider() {
    return provider;
  }

  Path directory() {
    return directory;
  }

  Device client() {
    return client;
  }

  Device server() {
    return server;
  }

  /** Closes {@code resource} at the end, before all that was handed over earlier. */
  <T extends AutoCloseable> T own(T resource) {
    owned.push(resource);
    return resource;
  }

  /** Memory of the server that FLUSHes make durable. */
  TestPersistence persistence(long bytes, DurabilityMethod method) {
    return new TestPersistence(own(provider.persistentMemory(server, bytes)), method);
  }

  /** Runs a task on a thread of its own. */
  <T> Future<T> async(Callable<T> task) {
    return tasks.submit(task);
  }

  /** Listens on the server at a port of its choice. */
  Listener listen() {
    return own(server.listen(new InetSocketAddress(provider.address(), 0), 128));
  }

  ConnectedPair connect() {
    return connect(UnaryOperator.identity());
  }

  /** Connects two new endpoints whose queue pairs have the attributes that {@code shape} makes. */
  ConnectedPair connect(UnaryOperator<QueuePairAttributes> shape) {
    return connect(new Endpoint(this, client, shape), new Endpoint(this, server, shape));
  }

  /** Connects two new endpoints, of which the server's is in a domain that exists. */
  ConnectedPair connectInto(ProtectionDomain domain) {
    Endpoint passive =
        new Endpoint(
            this,
            server,
            domain,
            own(server.createCompletionQueue(256, null)),
            own(server.createCompletionQueue(256, null)),
            UnaryOperator.identity());
    return connect(new Endpoint(this, client, UnaryOperator.identity()), passive);
  }

  /** Connects two endpoints, the first one actively. */
  ConnectedPair connect(Endpoint active, Endpoint passive) {
    try (Listener listener =
        passive.device().listen(new InetSocketAddress(provider.address(), 0), 1)) {
      return connect(active, passive, listener);
    }
  }

  /** Connects two endpoints through a listener that nobody else uses meanwhile. */
  ConnectedPair connect(Endpoint active, Endpoint passive, Listener listener) {
    Future<byte[]> answer = async(() -> connectTo(active, listener.address()));
    nextRequest(listener).accept(passive.queuePair(), NOTHING, deadline());
    Await.result("connect", answer);
    noteConnected(active);
    noteConnected(passive);
    return new ConnectedPair(active, passive);
  }

  /** Connects without private data. */
  byte[] connectTo(Endpoint active, InetSocketAddress address) {
    return active
        .device()
        .connect(active.queuePair(), new ConnectionParameters(address, null, NOTHING, deadline()));
  }

  /** Has the carrier of this endpoint checked at the end. */
  void noteConnected(Endpoint endpoint) {
    assertThat(endpoint.queuePair().state()).isEqualTo(QueuePair.State.READY_TO_SEND);
    assertThat(endpoint.queuePair().carrier()).contains(provider.carrier());
    connected.add(endpoint.queuePair());
  }

  static ConnectionRequest nextRequest(Listener listener) {
    try {
      ConnectionRequest request = listener.nextRequest(deadline());
      assertThat(request).as("connection request").isNotNull();
      return request;
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while listening", e);
    }
  }

  static Deadline deadline() {
    return Deadline.after(Await.PATIENCE);
  }

  @Override
  public void close() {
    List<String> carriers = new ArrayList<>();
    connected.forEach(queuePair -> carriers.add(queuePair.carrier().orElse("none")));
    List<Path> left;
    try {
      release(owned);
    } finally {
      tasks.shutdownNow();
      left = takeAway();
    }
    assertThat(carriers).as("carriers used").allMatch(provider.carrier()::equals);
    assertThat(left).as("files left behind").isEmpty();
  }

  /** Removes the directory and tells what was in it. */
  private List<Path> takeAway() {
    try (Stream<Path> tree = Files.walk(directory)) {
      List<Path> left = tree.sorted(Comparator.reverseOrder()).toList();
      for (Path path : left) {
        Files.delete(path);
      }
      return left.subList(0, left.size() - 1);
    } catch (IOException e) {
      throw new UncheckedIOException("could not clear " + directory, e);
    }
  }

  private static void release(Deque<AutoCloseable> resources) {
    AssertionError failure = null;
    for (AutoCloseable resource : resources) {
      try {
        resource.close();
      } catch (Exception e) {
        AssertionError now = new AssertionError("could not close " + resource, e);
        if (failure == null) {
          failure = now;
        } else {
          failure.addSuppressed(now);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
