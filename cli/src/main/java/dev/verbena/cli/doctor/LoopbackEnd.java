// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.doctor;

import dev.verbena.memory.MappedMemory;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionChannel;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.VerbsProvider;
import dev.verbena.verbs.WorkCompletion;
import java.util.EnumSet;

/** One end of a loopback: a device with one queue pair and one region. One thread. */
final class LoopbackEnd implements AutoCloseable {
  private static final int COMPLETIONS = 64;

  private final Device device;
  private final CompletionChannel channel;
  private final CompletionQueue completions;
  private final QueuePair queuePair;
  private final MemoryRegion region;
  private final WorkCompletion[] polled = WorkCompletion.array(1);

  private LoopbackEnd(Device device, int bytes) {
    this.device = device;
    channel = device.createCompletionChannel();
    completions = device.createCompletionQueue(COMPLETIONS, channel);
    ProtectionDomain domain = device.createProtectionDomain();
    queuePair = domain.createQueuePair(QueuePairAttributes.of(completions, completions));
    MappedMemory memory = device.allocate(bytes);
    region =
        domain.register(
            memory,
            0,
            bytes,
            EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ));
  }

  static LoopbackEnd open(String provider, DeviceOptions options, int bytes) {
    Device device = VerbsProvider.named(provider).open(options);
    boolean opened = false;
    try {
      LoopbackEnd end = new LoopbackEnd(device, bytes);
      opened = true;
      return end;
    } finally {
      if (!opened) {
        device.close();
      }
    }
  }

  Device device() {
    return device;
  }

  QueuePair queuePair() {
    return queuePair;
  }

  MemoryRegion region() {
    return region;
  }

  MappedMemory memory() {
    return region.memory();
  }

  /** Waits for one completion, asleep. */
  void awaitCompletion(Deadline deadline) throws InterruptedException {
    while (completions.poll(polled) == 0) {
      completions.requestNotification(false);
      if (completions.poll(polled) != 0) {
        break;
      }
      channel.awaitEvent(deadline);
      if (deadline.hasPassed()) {
        throw new LoopbackException("no completion in time");
      }
    }
    if (!polled[0].isSuccess()) {
      throw new LoopbackException("the operation ended as " + polled[0]);
    }
  }

  /** Closes the device, and with it all that was made of it. */
  @Override
  public void close() {
    device.close();
  }
}
