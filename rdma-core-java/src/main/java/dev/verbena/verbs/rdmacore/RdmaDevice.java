// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.memory.MappedMemory;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AsyncEvent;
import dev.verbena.verbs.CompletionChannel;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceAttributes;
import dev.verbena.verbs.DeviceCapability;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.SharedReceiveQueueAttributes;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.provider.AsyncEvents;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** An open device: its context, its connection manager, and the objects made on it. */
final class RdmaDevice implements Device {
  private final DeviceInfo info;
  private final DeviceAttributes attributes;
  private final long handle;
  private final Map<Long, Object> objects = new ConcurrentHashMap<>();
  private final WorkQueues workQueues = new WorkQueues();
  private final KeyMap<RdmaMemoryRegion> regions = new KeyMap<>();
  private final KeyMap<RdmaMemoryWindow> windows = new KeyMap<>();
  private final AsyncEvents events = new AsyncEvents();
  private final Set<RdmaProtectionDomain> domains = new LinkedHashSet<>();
  private final Set<RdmaListener> listeners = new LinkedHashSet<>();
  private final Set<RdmaCompletionQueue> queues = new LinkedHashSet<>();
  private final Set<RdmaCompletionChannel> channels = new LinkedHashSet<>();
  private final EventThread thread;
  private boolean closed;

  RdmaDevice(long handle, DeviceInfo info) {
    this.handle = handle;
    this.info = info;
    this.attributes = info.attributes();
    this.thread = new EventThread(this);
  }

  void start() {
    thread.start();
  }

  long handle() {
    return handle;
  }

  @Override
  public String name() {
    return "rdmacore:" + info.name();
  }

  String carrier() {
    return info.carrier();
  }

  /**
   * Whether it is the kernel's software RoCE, which does not tell why it refuses a request of its
   * own user: {@link LocalRules}.
   */
  boolean isSoftRoce() {
    return info.isSoftRoce();
  }

  int mtu() {
    return info.mtu();
  }

  int maxReads() {
    return info.maxReads();
  }

  @Override
  public DeviceAttributes attributes() {
    return attributes;
  }

  /** Whether the device has the operation. */
  boolean can(SendRequest.Operation operation) {
    return switch (operation) {
      case COMPARE_AND_SWAP, FETCH_AND_ADD -> attributes.has(DeviceCapability.ATOMICS);
      case FLUSH ->
          attributes.has(DeviceCapability.FLUSH_GLOBAL)
              || attributes.has(DeviceCapability.FLUSH_PERSISTENT);
      case ATOMIC_WRITE -> attributes.has(DeviceCapability.ATOMIC_WRITE);
      case BIND_WINDOW, LOCAL_INVALIDATE, SEND_WITH_INVALIDATE ->
          attributes.has(DeviceCapability.MEMORY_WINDOW_TYPE_2B);
      case SEND, SEND_WITH_IMMEDIATE, WRITE, WRITE_WITH_IMMEDIATE, READ -> true;
    };
  }

  void requireWithinLimits(QueuePairAttributes wanted) {
    if (wanted.maxBuffers() > attributes.maxBuffers()
        || wanted.maxInline() > attributes.maxInline()
        || wanted.maxSendRequests() > attributes.maxQueueDepth()
        || wanted.maxReceiveRequests() > attributes.maxQueueDepth()) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "queue pair " + wanted + " exceeds the device's " + attributes);
    }
  }

  void requireWithinLimits(SharedReceiveQueueAttributes wanted) {
    if (wanted.maxRequests() > info.maxSharedDepth()
        || wanted.maxBuffers() > attributes.maxBuffers()) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "shared receive queue " + wanted + " exceeds the device's " + info);
    }
  }

  void requirePrivateData(byte[] data) {
    if (data.length > attributes.maxPrivateData()) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "private data of " + data.length + " bytes, at most " + attributes.maxPrivateData());
    }
  }

  @Override
  public MappedMemory allocate(long bytes) {
    if (bytes < 1) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT, "allocating " + bytes + " bytes");
    }
    return NativeMemory.map(bytes);
  }

  @Override
  public synchronized ProtectionDomain createProtectionDomain() {
    requireOpen();
    RdmaProtectionDomain domain = new RdmaProtectionDomain(this);
    domains.add(domain);
    return domain;
  }

  @Override
  public synchronized CompletionChannel createCompletionChannel() {
    requireOpen();
    RdmaCompletionChannel channel = new RdmaCompletionChannel(this);
    channels.add(channel);
    return channel;
  }

  @Override
  public synchronized CompletionQueue createCompletionQueue(int depth, CompletionChannel channel) {
    requireOpen();
    if (depth < 1 || depth > info.maxCompletions()) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "completion queue of depth " + depth + ", at most " + info.maxCompletions());
    }
    RdmaCompletionQueue queue =
        new RdmaCompletionQueue(this, depth, (RdmaCompletionChannel) channel);
    queues.add(queue);
    return queue;
  }

  @Override
  public Listener listen(InetSocketAddress local, int backlog) {
    synchronized (this) {
      requireOpen();
      RdmaListener listener = RdmaListener.open(this, local, backlog);
      listeners.add(listener);
      return listener;
    }
  }

  @Override
  public byte[] connect(QueuePair queuePair, ConnectionParameters parameters) {
    requirePrivateData(parameters.privateData());
    return new ActiveConnect(this, (RdmaQueuePair) queuePair, parameters).run();
  }

  @Override
  public AsyncEvent awaitAsyncEvent(Deadline deadline) throws InterruptedException {
    return events.await(deadline);
  }

  AsyncEvents events() {
    return events;
  }

  WorkQueues workQueues() {
    return workQueues;
  }

  /** Regions by local key. */
  KeyMap<RdmaMemoryRegion> regions() {
    return regions;
  }

  /** Windows by {@link RdmaMemoryWindow#index}. */
  KeyMap<RdmaMemoryWindow> windows() {
    return windows;
  }

  /** The region with that local key; null if there is none. */
  RdmaMemoryRegion region(int localKey) {
    return regions.get(localKey);
  }

  /** The window that a key of is; null if there is none. */
  RdmaMemoryWindow window(int key) {
    return windows.get(RdmaMemoryWindow.index(key));
  }

  /** Events of a handle go to this object from now on. */
  void enter(long of, Object object) {
    objects.put(of, object);
  }

  void leave(long of) {
    objects.remove(of);
  }

  /** Whose handle that is; null if nobody's. */
  Object object(long of) {
    return objects.get(of);
  }

  /** A RECV of a shared queue ended with an error at the queue pair of that number. */
  void failed(int queuePairNumber, CompletionStatus status) {
    for (Object object : objects.values()) {
      if (object instanceof RdmaQueuePair queuePair && queuePair.number() == queuePairNumber) {
        queuePair.failed(status);
      }
    }
  }

  synchronized void release(RdmaProtectionDomain domain) {
    domains.remove(domain);
  }

  synchronized void release(RdmaListener listener) {
    listeners.remove(listener);
  }

  synchronized void release(RdmaCompletionQueue queue) {
    queues.remove(queue);
  }

  synchronized void release(RdmaCompletionChannel channel) {
    channels.remove(channel);
  }

  private void requireOpen() {
    if (closed) {
      throw new VerbsException(VerbsException.Code.INVALID_STATE, name() + " is closed");
    }
  }

  @Override
  public void close() {
    List<RdmaListener> openListeners;
    List<RdmaProtectionDomain> openDomains;
    List<RdmaCompletionQueue> openQueues;
    List<RdmaCompletionChannel> openChannels;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      openListeners = List.copyOf(listeners);
      openDomains = List.copyOf(domains);
      openQueues = new ArrayList<>(queues);
      openChannels = List.copyOf(channels);
    }
    Teardown teardown = new Teardown().all(openListeners).step(events::close);
    openDomains.forEach(domain -> teardown.step(domain::closeAll));
    teardown.all(openQueues).all(openChannels);
    for (Object object : objects.values()) {
      if (object instanceof Conversation conversation) {
        teardown.step(conversation::close);
      }
    }
    teardown
        .step(thread::stop)
        .step(() -> Failures.check(Native.deviceClose(handle), "closing " + name()))
        .end();
  }
}
