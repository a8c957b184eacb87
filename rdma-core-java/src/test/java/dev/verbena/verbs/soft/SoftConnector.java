// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.testing.Await;
import dev.verbena.testing.mutation.Watch;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.WorkCompletion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Connects queue pairs of software NICs of this process. */
final class SoftConnector implements AutoCloseable {
  private static final byte[] NOTHING = {};

  private final ExecutorService threads = Executors.newCachedThreadPool();

  /**
   * One end of a connection.
   *
   * @param completions where both its queues complete
   */
  record End(ProtectionDomain domain, CompletionQueue completions, QueuePair queuePair) {
    void post(SendRequest request) {
      queuePair.postSend(request);
    }

    /** The next completion, awaited. */
    WorkCompletion next() {
      WorkCompletion[] one = WorkCompletion.array(1);
      Await.until(Watch.patience(), "a completion", () -> completions.poll(one) == 1);
      return one[0];
    }

    boolean hasNone() {
      return completions.poll(WorkCompletion.array(1)) == 0;
    }
  }

  static Device open(CarrierPolicy policy) {
    return new SoftProvider().open(DeviceOptions.defaults().withCarrier(policy));
  }

  static End end(Device device, ProtectionDomain domain) {
    CompletionQueue queue = device.createCompletionQueue(512, null);
    return new End(domain, queue, domain.createQueuePair(QueuePairAttributes.of(queue, queue)));
  }

  /** Connects a new end of {@code from} to one of {@code to}. */
  End connect(Device from, Device to, End passive) {
    End active = end(from, from.createProtectionDomain());
    try (Listener listener =
        to.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1)) {
      Future<?> accepted = threads.submit(() -> accept(listener, passive.queuePair()));
      from.connect(
          active.queuePair(),
          new ConnectionParameters(listener.address(), null, NOTHING, deadline()));
      Await.result("accepting", accepted);
    }
    return active;
  }

  private static Void accept(Listener listener, QueuePair passive) throws InterruptedException {
    listener.nextRequest(deadline()).accept(passive, NOTHING, deadline());
    return null;
  }

  private static Deadline deadline() {
    return Deadline.after(Watch.patience());
  }

  /** Runs a task on a thread of its own. */
  Future<?> async(Runnable task) {
    return threads.submit(task);
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
