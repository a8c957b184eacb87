// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs;

import dev.verbena.memory.MappedMemory;
import dev.verbena.time.Deadline;
import java.net.InetSocketAddress;

/** An open device: ibv_open_device(3), with its connection manager. Thread-safe. */
public interface Device extends AutoCloseable {
  /** Name for people, unique on this machine. */
  String name();

  /** The limits. */
  DeviceAttributes attributes();

  /**
   * Allocates zeroed memory that this device serves best. The caller closes it, after
   * deregistering.
   *
   * @throws VerbsException NO_RESOURCES naming the file system if its space is used up
   */
  MappedMemory allocate(long bytes);

  /** Creates a protection domain. */
  ProtectionDomain createProtectionDomain();

  /** Creates a channel to wait on. */
  CompletionChannel createCompletionChannel();

  /**
   * Creates a completion queue.
   *
   * @param depth completions it must be able to hold
   * @param channel where its events go; null if it is only polled
   */
  CompletionQueue createCompletionQueue(int depth, CompletionChannel channel);

  /**
   * Listens at an IPv4 or IPv6 address; port 0 chooses one.
   *
   * @param backlog requests that may wait
   */
  Listener listen(InetSocketAddress local, int backlog);

  /**
   * Connects a queue pair in state RESET; on failure it ends in ERROR.
   *
   * @return the passive side's private data
   * @throws VerbsException UNREACHABLE, TIMED_OUT, PROTOCOL, or {@link ConnectionRejectedException}
   */
  byte[] connect(QueuePair queuePair, ConnectionParameters parameters);

  /**
   * Takes the next asynchronous event: ibv_get_async_event(3). An event that is not taken yet is
   * not raised again, and those of an object that was closed are gone.
   *
   * @return the event, or null if the deadline passed or the device was closed
   * @throws InterruptedException if the thread is interrupted
   */
  AsyncEvent awaitAsyncEvent(Deadline deadline) throws InterruptedException;

  /** Closes what is still open on it, and the device. */
  @Override
  void close();
}
