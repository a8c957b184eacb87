// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.Await;
import dev.verbena.testing.Pattern;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.WorkCompletion;
import dev.verbena.verbs.conformance.NeedsRdmacore;
import dev.verbena.verbs.conformance.Rdmacore;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What fork(2) does to registered memory, which must stay the device's and the parent's. */
@Tag("rdma")
@NeedsRdmacore
final class ForkTest {
  private static final byte[] NOTHING = {};
  private static final int SIZE = 1 << 20;
  private static final int PAGE = 4096;
  private static final int FORKS = 5;
  private static final Set<AccessFlag> ALL =
      EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);

  private final Rdmacore provider = new Rdmacore();
  private final Device device = provider.open(Path.of("/dev/shm"));
  private final ProtectionDomain domain = device.createProtectionDomain();
  private final CompletionQueue completions = device.createCompletionQueue(16, null);
  private final ExecutorService task = Executors.newSingleThreadExecutor();

  @AfterEach
  void close() {
    device.close();
    task.shutdownNow();
  }

  /**
   * Copy on write would give the parent, which writes between the child's fork and exec, pages that
   * the device has not.
   */
  @Test
  void memoryThatWasRegisteredBeforeAForkStaysTheDevicesAndTheParents() throws IOException {
    assertThat(System.getProperty("jdk.lang.Process.launchMechanism"))
        .as("how the JDK makes processes; vfork and its kin share all pages")
        .isEqualTo("FORK");
    MemoryRegion near = region(1);
    MemoryRegion far = region(2);
    QueuePair queuePair = connect();
    forkWhileWriting(near.memory());
    new Pattern(3).fill(near.memory(), 0, SIZE);
    run(queuePair, new SendRequest(1).write(1, far.address(), far.remoteKey()), near);
    assertThat(new Pattern(3).mismatch(far.memory(), 0, SIZE)).isEqualTo(-1);
    new Pattern(4).fill(far.memory(), 0, SIZE);
    run(queuePair, new SendRequest(1).read(2, far.address(), far.remoteKey()), near);
    assertThat(new Pattern(4).mismatch(near.memory(), 0, SIZE)).isEqualTo(-1);
  }

  private void forkWhileWriting(MappedMemory memory) throws IOException {
    AtomicBoolean done = new AtomicBoolean();
    Future<?> writer =
        task.submit(
            () -> {
              for (long round = 0; !done.get(); round++) {
                for (int at = 0; at < SIZE; at += PAGE) {
                  memory.putLong(at, round);
                }
              }
            });
    try {
      for (int i = 0; i < FORKS; i++) {
        Process child = new ProcessBuilder("true").start();
        Await.until("the end of the child", () -> !child.isAlive());
      }
    } finally {
      done.set(true);
    }
    Await.result("writing", writer);
  }

  private MemoryRegion region(int seed) {
    MappedMemory memory = device.allocate(SIZE);
    new Pattern(seed).fill(memory, 0, SIZE);
    return domain.register(memory, 0, SIZE, ALL);
  }

  private void run(QueuePair queuePair, SendRequest request, MemoryRegion near) {
    queuePair.postSend(request.buffer(near.address(), SIZE, near.localKey()).signaled());
    WorkCompletion[] done = WorkCompletion.array(1);
    Await.until("a completion", () -> completions.poll(done) == 1);
    assertThat(done[0].isSuccess()).as("%s", done[0].status()).isTrue();
  }

  /** An active end whose peer is in this process too. */
  private QueuePair connect() {
    QueuePair client = queuePair();
    QueuePair server = queuePair();
    Deadline deadline = Deadline.after(Await.PATIENCE);
    try (Listener listener = device.listen(new InetSocketAddress(provider.address(), 0), 1)) {
      ConnectionParameters to =
          new ConnectionParameters(listener.address(), null, NOTHING, deadline);
      Future<byte[]> connect = task.submit(() -> device.connect(client, to));
      listener.nextRequest(deadline).accept(server, NOTHING, deadline);
      Await.result("connect", connect);
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted while accepting", e);
    }
    return client;
  }

  private QueuePair queuePair() {
    return domain.createQueuePair(QueuePairAttributes.of(completions, completions));
  }
}
