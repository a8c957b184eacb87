// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.memory.MemoryMapper;
import dev.verbena.memory.Uninterrupted;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AsyncEvent;
import dev.verbena.verbs.CompletionChannel;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceAttributes;
import dev.verbena.verbs.DeviceCapability;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.Listener;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.SharedReceiveQueueAttributes;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.provider.AsyncEvents;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** An open software NIC: its area, tables, thread, and the objects made on it. */
final class SoftDevice implements Device {
  static final long MAX_MESSAGE = 1L << 30;
  static final int MAX_BUFFERS = 32;
  static final int MAX_INLINE = 512;
  static final int MAX_DEPTH = 1 << 14;
  static final int MAX_PRIVATE_DATA = 56;

  private static final Set<DeviceCapability> CAPABILITIES =
      Set.copyOf(EnumSet.allOf(DeviceCapability.class));
  private static final int QUEUE_PAIR_NUMBERS = 1 << 24;
  private static final long POLL_NANOS = 20_000;

  private final DeviceDirectory directory;
  private final DeviceOptions options;
  private final FaultPort faults;
  private final MappedMemory area;
  private final Incarnation incarnation;
  private final KeyTable keys;
  private final OwnSegments segments;
  private final RegionsByKey regions = new RegionsByKey();
  private final Persister persister;
  private final DeviceThread thread;
  private final PeerLinks links;
  private final Quarantine quarantine;
  private final BitSet completionQueueNumbers = new BitSet();
  private final Set<SoftCompletionQueue> completionQueues = new HashSet<>();
  private final Map<Integer, SoftQueuePair> queuePairs = new HashMap<>();
  private final Set<SoftProtectionDomain> domains = new HashSet<>();
  private final Set<SoftListener> listeners = new HashSet<>();
  private final List<SoftSharedReceiveQueue> sharedReceiveQueues = new CopyOnWriteArrayList<>();
  private final AsyncEvents events = new AsyncEvents();
  private int lastQueuePairNumber;
  private int lastDomainNumber;
  private boolean closed;

  private SoftDevice(
      DeviceDirectory directory,
      DeviceOptions options,
      FaultPort faults,
      SecureRandom random,
      MappedMemory area) {
    this.directory = directory;
    this.options = options;
    this.faults = faults;
    this.area = area;
    this.incarnation = Incarnation.draw(random);
    this.keys = new KeyTable(area, random);
    this.segments = new OwnSegments(area);
    this.thread = new DeviceThread("verbena-" + directory.path().getFileName());
    this.persister = new Persister("verbena-" + directory.path().getFileName(), regions);
    this.links = new PeerLinks(this);
    this.quarantine = new Quarantine(thread);
    this.lastQueuePairNumber = random.nextInt(QUEUE_PAIR_NUMBERS);
  }

  static SoftDevice open(DeviceOptions options) {
    FaultPort faults = FaultPort.of(options.faults());
    SecureRandom random = new SecureRandom();
    DeviceDirectory directory;
    try {
      directory = Uninterrupted.call(() -> DeviceDirectory.create(options.directory(), random));
    } catch (IOException e) {
      throw new VerbsException(
          VerbsException.Code.UNAVAILABLE, "no software NIC in " + options.directory(), e);
    }
    SoftDevice device = null;
    try {
      MappedMemory area = MemoryMapper.create(directory.areaFile(), DeviceAreaLayout.SIZE);
      device = new SoftDevice(directory, options, faults, random, area);
      device.start();
      return device;
    } catch (IOException e) {
      throw new VerbsException(
          VerbsException.Code.NO_RESOURCES,
          "no room for a software NIC of "
              + DeviceAreaLayout.SIZE
              + " bytes in "
              + options.directory(),
          e);
    } finally {
      if (device == null) {
        directory.close();
      }
    }
  }

  private void start() throws IOException {
    incarnation.writeTo(area);
    area.putLong(DeviceAreaLayout.VERSION_OFFSET, DeviceAreaLayout.VERSION);
    area.putLongRelease(DeviceAreaLayout.MAGIC_OFFSET, DeviceAreaLayout.MAGIC);
    links.listenForWakes();
    thread.start();
  }

  @Override
  public String name() {
    return "soft:" + directory.path().getFileName();
  }

  @Override
  public DeviceAttributes attributes() {
    return new DeviceAttributes(
        MAX_MESSAGE,
        MAX_DEPTH,
        MAX_BUFFERS,
        MAX_INLINE,
        MAX_PRIVATE_DATA,
        0,
        options.carrier() != DeviceOptions.CarrierPolicy.TCP_ONLY,
        CAPABILITIES);
  }

  @Override
  public MappedMemory allocate(long bytes) {
    if (bytes < 1) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT, "allocating " + bytes + " bytes");
    }
    return directory.createSegment(bytes);
  }

  @Override
  public synchronized ProtectionDomain createProtectionDomain() {
    requireOpen();
    if (lastDomainNumber == 0xffff) {
      throw new VerbsException(
          VerbsException.Code.NO_RESOURCES, "the device made its 65535 protection domains");
    }
    SoftProtectionDomain domain = new SoftProtectionDomain(this, ++lastDomainNumber);
    domains.add(domain);
    return domain;
  }

  @Override
  public CompletionChannel createCompletionChannel() {
    return new SoftCompletionChannel();
  }

  @Override
  public synchronized CompletionQueue createCompletionQueue(int depth, CompletionChannel channel) {
    requireOpen();
    if (depth < 1) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT, "completion queue of depth " + depth);
    }
    int number = completionQueueNumbers.nextClearBit(0);
    if (number == DeviceAreaLayout.MAX_COMPLETION_QUEUES) {
      throw new VerbsException(
          VerbsException.Code.NO_RESOURCES, "the device has its " + number + " completion queues");
    }
    completionQueueNumbers.set(number);
    SoftCompletionQueue queue =
        new SoftCompletionQueue(this, number, depth, (SoftCompletionChannel) channel);
    completionQueues.add(queue);
    return queue;
  }

  @Override
  public synchronized Listener listen(InetSocketAddress local, int backlog) {
    requireOpen();
    SoftListener listener = SoftListener.open(this, local, backlog);
    listeners.add(listener);
    return listener;
  }

  @Override
  public byte[] connect(QueuePair queuePair, ConnectionParameters parameters) {
    requirePrivateData(parameters.privateData());
    return new ActiveConnect(this, (SoftQueuePair) queuePair, parameters).run();
  }

  static void requirePrivateData(byte[] data) {
    if (data.length > MAX_PRIVATE_DATA) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "private data of " + data.length + " bytes, at most " + MAX_PRIVATE_DATA);
    }
  }

  SoftQueuePair newQueuePair(SoftProtectionDomain domain, QueuePairAttributes attributes) {
    if (attributes.maxBuffers() > MAX_BUFFERS
        || attributes.maxInline() > MAX_INLINE
        || attributes.maxSendRequests() > MAX_DEPTH
        || attributes.maxReceiveRequests() > MAX_DEPTH) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "queue pair " + attributes + " exceeds the device's " + attributes());
    }
    if (attributes.sharedReceiveQueue() instanceof SoftSharedReceiveQueue shared
        && shared.domain() != domain) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "the shared receive queue belongs to another protection domain");
    }
    QueuePairAreaLayout layout = QueuePairAreaLayout.of(attributes);
    synchronized (this) {
      requireOpen();
      int number = nextQueuePairNumber();
      var file = DeviceDirectory.queuePairFile(directory.path(), number);
      MappedMemory queueArea;
      try {
        queueArea = MemoryMapper.create(file, layout.size());
      } catch (IOException e) {
        throw new VerbsException(
            VerbsException.Code.NO_RESOURCES,
            "no room for a queue pair of " + layout.size() + " bytes in " + options.directory(),
            e);
      }
      SoftQueuePair queuePair = null;
      try {
        queuePair = new SoftQueuePair(domain, attributes, number, file, layout, queueArea);
      } finally {
        if (queuePair == null) {
          queueArea.close();
          directory.delete(file);
        }
      }
      queuePairs.put(number, queuePair);
      return queuePair;
    }
  }

  SoftSharedReceiveQueue newSharedReceiveQueue(
      SoftProtectionDomain domain, SharedReceiveQueueAttributes shared) {
    if (shared.maxRequests() > MAX_DEPTH || shared.maxBuffers() > MAX_BUFFERS) {
      throw new VerbsException(
          VerbsException.Code.INVALID_ARGUMENT,
          "shared receive queue " + shared + " exceeds the device's " + attributes());
    }
    SoftSharedReceiveQueue queue = new SoftSharedReceiveQueue(domain, shared);
    sharedReceiveQueues.add(queue);
    return queue;
  }

  /** Device thread: a peer found no RECV in a lane, or did as many as one of the lane's marks. */
  void lookAtLanes() {
    sharedReceiveQueues.forEach(SoftSharedReceiveQueue::serve);
    List<SoftCompletionQueue> all;
    synchronized (this) {
      all = new ArrayList<>(completionQueues);
    }
    all.forEach(SoftCompletionQueue::checkBound);
  }

  void release(SoftSharedReceiveQueue queue) {
    sharedReceiveQueues.remove(queue);
  }

  private int nextQueuePairNumber() {
    do {
      lastQueuePairNumber = (lastQueuePairNumber + 1) % QUEUE_PAIR_NUMBERS;
    } while (lastQueuePairNumber < 2 || queuePairs.containsKey(lastQueuePairNumber));
    return lastQueuePairNumber;
  }

  AsyncEvents events() {
    return events;
  }

  @Override
  public AsyncEvent awaitAsyncEvent(Deadline deadline) throws InterruptedException {
    return events.await(deadline);
  }

  DeviceOptions options() {
    return options;
  }

  FaultPort faults() {
    return faults;
  }

  DeviceDirectory directory() {
    return directory;
  }

  MappedMemory area() {
    return area;
  }

  Incarnation incarnation() {
    return incarnation;
  }

  KeyTable keys() {
    return keys;
  }

  RegionsByKey regions() {
    return regions;
  }

  Persister persister() {
    return persister;
  }

  OwnSegments segments() {
    return segments;
  }

  DeviceThread thread() {
    return thread;
  }

  Quarantine quarantine() {
    return quarantine;
  }

  PeerLinks links() {
    return links;
  }

  /** Gives one use of a segment back and tells peers if it was the last. */
  void releaseSegment(int segment) {
    if (segments.release(segment)) {
      links.tellSegmentsChanged();
    }
  }

  /** The queue pair of that number, or null. */
  synchronized SoftQueuePair queuePair(int number) {
    return queuePairs.get(number);
  }

  /** Whether any engine or reader has announced a key slot of this device. */
  boolean isAnnounced(int keySlot) {
    return isAnnouncedNow(keySlot) || quarantine.announces(keySlot);
  }

  private synchronized boolean isAnnouncedNow(int keySlot) {
    for (SoftQueuePair queuePair : queuePairs.values()) {
      if (queuePair.announces(keySlot)) {
        return true;
      }
    }
    return false;
  }

  /** Waits on a condition of other threads or processes; false if the deadline passed. */
  boolean awaitTrue(BooleanSupplier condition, Deadline deadline) {
    while (!condition.getAsBoolean()) {
      if (deadline.hasPassed()) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
  }

  /**
   * Device thread: breaks the queue pairs whose partners said they broke. All are looked at, since
   * two devices that connect to each other at once are joined by two links.
   */
  void breakThoseWhosePeerBroke() {
    for (SoftQueuePair queuePair : snapshot()) {
      queuePair.breakIfPeerBroke();
    }
  }

  /** Device thread: a peer left a FLUSH in the area of one of the queue pairs. */
  void serveFlushes() {
    snapshot().forEach(SoftQueuePair::serveFlush);
  }

  /** Device thread: a peer left an errand in the area of one of the queue pairs. */
  void serveErrands() {
    for (SoftQueuePair queuePair : snapshot()) {
      Connection to = queuePair.connection();
      if (to != null) {
        to.serveErrand();
      }
    }
  }

  /** Device thread: a peer did an errand, for which a send queue waits. */
  void redriveStalled() {
    snapshot().forEach(queuePair -> queuePair.runner().redriveIfStalled());
  }

  private synchronized List<SoftQueuePair> snapshot() {
    return new ArrayList<>(queuePairs.values());
  }

  /** Fires every queue that a peer disarmed. */
  void fireDisarmedQueues() {
    List<SoftCompletionQueue> all;
    synchronized (this) {
      all = new ArrayList<>(completionQueues);
    }
    all.forEach(SoftCompletionQueue::fireIfDisarmed);
  }

  synchronized void release(SoftCompletionQueue queue) {
    if (completionQueues.remove(queue)) {
      completionQueueNumbers.clear(queue.number());
    }
  }

  synchronized void release(SoftQueuePair queuePair) {
    queuePairs.remove(queuePair.number());
  }

  synchronized void release(SoftProtectionDomain domain) {
    domains.remove(domain);
  }

  synchronized void release(SoftListener listener) {
    listeners.remove(listener);
  }

  private void requireOpen() {
    if (closed) {
      throw new VerbsException(VerbsException.Code.INVALID_STATE, name() + " is closed");
    }
  }

  @Override
  public void close() {
    List<SoftListener> openListeners;
    List<SoftProtectionDomain> openDomains;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      openListeners = List.copyOf(listeners);
      openDomains = List.copyOf(domains);
    }
    openListeners.forEach(SoftListener::close);
    events.close();
    VerbsException stillInside = null;
    for (SoftProtectionDomain domain : openDomains) {
      VerbsException failure = domain.closeAll();
      stillInside = stillInside == null ? failure : stillInside;
    }
    thread.stop();
    quarantine.close();
    persister.close();
    links.close();
    area.close();
    directory.close();
    if (stillInside != null) {
      throw stillInside;
    }
  }
}
