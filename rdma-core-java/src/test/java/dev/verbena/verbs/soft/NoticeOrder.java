// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.mutation.Attacks;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionChannel;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.WorkCompletion;
import dev.verbena.verbs.soft.mutation.Interleaving;
import dev.verbena.verbs.soft.mutation.OrderRuns;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What an owner must notice, or a peer: completions, marks, the end of a queue pair. */
public final class NoticeOrder implements Attacks {
  private static final int LENGTH = 11;
  private static final Deadline AT_ONCE = Deadline.after(Duration.ZERO);

  @Override
  public Map<String, Runnable> all() {
    return Map.of(
        "noWakeUpByAPeerIsLost", runs(PeerWakes::new),
        "noWakeUpByASendIsLost", runs(OwnerWakes::new),
        "aReceiveLaneTellsOfItsMark", runs(ReceiveMark::new),
        "aSendLaneTellsOfItsMark", runs(SendMark::new),
        "anOverrunByReceivesIsNoticed", runs(device -> new Overrun(device, false)),
        "anOverrunBySendsIsNoticed", runs(device -> new Overrun(device, true)),
        "nothingIsDeliveredAfterTheFlush", runs(Break::new),
        "whatBrokeWhileJoiningLetsNobodyIn", runs(Join::new),
        "nothingIsWrittenAfterTheBreak", runs(LateFrame::new));
  }

  /** A scenario with one device for all runs. */
  private static Runnable runs(Function<SoftDevice, Interleaving.Scenario> scenario) {
    return () -> {
      try (Device device = new SoftProvider().open(DeviceOptions.defaults())) {
        OrderRuns.explore(() -> scenario.apply((SoftDevice) device));
      }
    };
  }

  private static ReceiveRequest receive(long id) {
    return new ReceiveRequest(1).begin(id);
  }

  /** A queue pair, and the engine of its peer on its area. */
  private static class Pair {
    final SoftProtectionDomain domain;
    final CompletionChannel channel;
    final SoftCompletionQueue completions;
    final SoftQueuePair pair;
    final Responder peer;

    Pair(SoftDevice device, int completionDepth, boolean sleeps) {
      domain = (SoftProtectionDomain) device.createProtectionDomain();
      channel = sleeps ? device.createCompletionChannel() : null;
      completions = (SoftCompletionQueue) device.createCompletionQueue(completionDepth, channel);
      pair =
          (SoftQueuePair)
              domain.createQueuePair(
                  QueuePairAttributes.of(completions, completions)
                      .withDepths(2, 2)
                      .withMaxBuffers(1)
                      .withMaxInline(0));
      pair.postReceive(receive(0));
      pair.postReceive(receive(1));
      pair.area().putLong(QueuePairAreaLayout.OWNER_STATE_OFFSET, QueuePairAreaLayout.CONNECTED);
      peer = pair.ownResponder();
      SendQueue sends = pair.sendQueue();
      assertThat(sends.write(new SendRequest(1).send(0).signaled())).isTrue();
      assertThat(sends.write(new SendRequest(1).send(1).signaled())).isTrue();
      sends.ring();
    }

    /** The engine of the peer fills a RECV; whether the owner must be woken. */
    boolean deliver() {
      return peer.takeReceive() == Responder.Take.TAKEN && peer.deliver(0, 128, 0, LENGTH, 0);
    }

    /** The engine of the owner ends a request. */
    void complete() {
      pair.completeSend(true, CompletionStatus.SUCCESS, 0);
    }

    boolean isFired() {
      try {
        return channel.awaitEvent(AT_ONCE) != null;
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    boolean isOverrun() {
      try {
        completions.poll(WorkCompletion.array(0));
        return false;
      } catch (VerbsException e) {
        return true;
      }
    }

    void close() {
      pair.close();
      completions.close();
      if (channel != null) {
        channel.close();
      }
      domain.close();
    }
  }

  private static final class PeerWakes extends Pair implements Interleaving.Scenario {
    private boolean woken;

    PeerWakes(SoftDevice device) {
      super(device, 8, true);
    }

    @Override
    public List<Runnable> threads() {
      return List.of(() -> woken = deliver(), () -> completions.requestNotification(false));
    }

    @Override
    public void check() {
      if (woken) {
        completions.fireIfDisarmed();
      }
      assertThat(isFired()).as("the owner was woken").isTrue();
      close();
    }
  }

  private static final class OwnerWakes extends Pair implements Interleaving.Scenario {
    OwnerWakes(SoftDevice device) {
      super(device, 8, true);
    }

    @Override
    public List<Runnable> threads() {
      return List.of(this::complete, () -> completions.requestNotification(false));
    }

    @Override
    public void check() {
      assertThat(isFired()).as("the owner was woken").isTrue();
      close();
    }
  }

  /** Two completions come to a queue of one entry that is just looked at. */
  private static final class Overrun extends Pair implements Interleaving.Scenario {
    private final boolean sends;

    Overrun(SoftDevice device, boolean sends) {
      super(device, 1, false);
      this.sends = sends;
    }

    @Override
    public List<Runnable> threads() {
      return List.of(sends ? this::send : this::receive, completions::checkBound);
    }

    private void receive() {
      for (int i = 0; i < 2; i++) {
        deliver();
        if (peer.reachedMark()) {
          completions.checkBound();
        }
      }
    }

    private void send() {
      complete();
      complete();
    }

    @Override
    public void check() {
      assertThat(isOverrun()).as("the overrun was noticed").isTrue();
      close();
    }
  }

  /** As {@link #deliver} and {@code completeSend} do it, on a lane that has no mark yet. */
  private abstract static class Mark extends Pair implements Interleaving.Scenario {
    private final CompletionSource source;
    private boolean engineTells;
    private boolean ownerKnows;

    Mark(SoftDevice device) {
      super(device, 8, false);
      source = source();
      source.clearMark();
    }

    abstract CompletionSource source();

    /** Adds a completion; whether it reached the mark. */
    abstract boolean add();

    @Override
    public List<Runnable> threads() {
      return List.of(() -> engineTells = add(), this::mark);
    }

    private void mark() {
      int pending = source.count();
      ownerKnows = source.setMark(1) || pending > 0;
    }

    @Override
    public void check() {
      assertThat(engineTells || ownerKnows).as("the mark was noticed").isTrue();
      close();
    }
  }

  private static final class ReceiveMark extends Mark {
    ReceiveMark(SoftDevice device) {
      super(device);
    }

    @Override
    CompletionSource source() {
      QueuePairAreaLayout layout = QueuePairAreaLayout.readFrom(pair.area());
      CompletionLane lane =
          new CompletionLane(pair.area(), layout.receiveLane(), layout.receiveDepth());
      return new ReceiveCompletions(pair, null, lane, pair.receiveSide());
    }

    @Override
    boolean add() {
      deliver();
      return peer.reachedMark();
    }
  }

  private static final class SendMark extends Mark {
    private CompletionLane lane;
    private SendCompletions sends;

    SendMark(SoftDevice device) {
      super(device);
    }

    @Override
    CompletionSource source() {
      QueuePairAreaLayout layout = QueuePairAreaLayout.readFrom(pair.area());
      lane = new CompletionLane(pair.area(), layout.sendLane(), layout.sendDepth());
      sends = new SendCompletions(pair, pair.sendQueue(), lane);
      return sends;
    }

    @Override
    boolean add() {
      lane.add(0, 0, 0, 0, LENGTH, 0, 0);
      completions.completionAdded(false);
      return sends.reachedMark();
    }
  }

  private static TcpConnection toNobody(SoftDevice device, SoftQueuePair pair) {
    try {
      TcpLink link = new TcpLink(device, device.incarnation(), SocketChannel.open());
      link.failed(new IOException("there is no peer"));
      return new TcpConnection(pair, link, 0);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static final class Join extends Pair implements Interleaving.Scenario {
    private final TcpConnection connection;

    Join(SoftDevice device) {
      super(device, 8, false);
      pair.area()
          .putLong(QueuePairAreaLayout.OWNER_STATE_OFFSET, QueuePairAreaLayout.NOT_CONNECTED);
      connection = toNobody(device, pair);
    }

    @Override
    public List<Runnable> threads() {
      return List.of(this::join, pair::breakConnection);
    }

    private void join() {
      try {
        pair.join(connection);
      } catch (VerbsException e) {
        assertThat(pair.isBroken()).isTrue();
      }
    }

    @Override
    public void check() {
      assertThat(pair.isLettingIn()).isFalse();
      close();
    }
  }

  /** A peer fills RECVs, a thread of the owner breaks the queue pair, another one polls. */
  private static final class Break extends Pair implements Interleaving.Scenario {
    private boolean inside;
    private int flushed;

    Break(SoftDevice device) {
      super(device, 8, true);
      pair.area()
          .putLong(QueuePairAreaLayout.OWNER_STATE_OFFSET, QueuePairAreaLayout.NOT_CONNECTED);
      pair.join(toNobody(device, pair));
      pair.ready();
    }

    @Override
    public List<Runnable> threads() {
      return List.of(this::fill, pair::breakConnection, this::poll);
    }

    private void fill() {
      for (int i = 0; i < 2; i++) {
        if (peer.takeReceive() == Responder.Take.TAKEN) {
          inside = true;
          peer.deliver(0, 128, 0, LENGTH, 0);
          assertThat(flushed).as("RECVs flushed while one is filled").isZero();
          inside = false;
        }
      }
    }

    private void poll() {
      WorkCompletion[] one = WorkCompletion.array(1);
      for (int received = 0; received < 2; ) {
        if (completions.poll(one) == 0) {
          Thread.onSpinWait();
        } else if (one[0].opcode() == Opcode.RECEIVE) {
          received++;
          if (one[0].status() == CompletionStatus.WORK_REQUEST_FLUSHED) {
            assertThat(inside).as("the peer is inside").isFalse();
            flushed++;
          }
        }
      }
    }

    @Override
    public void check() {
      close();
    }
  }

  /** A WRITE that came by tcp, and a thread that breaks the queue pair and uses the memory. */
  private static final class LateFrame extends Pair implements Interleaving.Scenario {
    private final MappedMemory memory = MappedMemory.of(ByteBuffer.allocateDirect(64));
    private final MemoryRegion region;
    private final TcpTarget target;
    private final ByteBuffer frame = ByteBuffer.allocate(FrameLayout.HEADER_SIZE + 8);
    private byte[] after;

    LateFrame(SoftDevice device) {
      super(device, 8, false);
      region =
          domain.register(
              memory, 0, 64, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
      target = toNobody(device, pair).target();
      RawTcpPeer.at(frame, region.remoteKey(), region.address())
          .put(FrameLayout.FLAGS_OFFSET, (byte) TcpSession.WHOLE)
          .putInt(FrameLayout.TOTAL_OFFSET, 8)
          .putLong(FrameLayout.HEADER_SIZE, -1);
    }

    @Override
    public List<Runnable> threads() {
      return List.of(() -> target.execute(FrameLayout.WRITE, frame, 0, 8), this::end);
    }

    private void end() {
      pair.breakConnection();
      while (!pair.hazardsAreClear()) {
        Thread.onSpinWait();
      }
      after = bytes();
    }

    private byte[] bytes() {
      byte[] bytes = new byte[8];
      memory.get(0, bytes, 0, 8);
      return bytes;
    }

    @Override
    public void check() {
      assertThat(bytes()).isEqualTo(after);
      region.close();
      close();
    }
  }
}
