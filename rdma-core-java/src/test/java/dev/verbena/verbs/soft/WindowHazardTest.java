// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.Await;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.MemoryWindow;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.WorkCompletion;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A peer that is inside an access when its window ends is waited for. */
final class WindowHazardTest {
  private static final Set<AccessFlag> READ = EnumSet.of(AccessFlag.REMOTE_READ);

  private final SoftConnector connector = new SoftConnector();
  private final Device near = SoftConnector.open(CarrierPolicy.AUTOMATIC);
  private final Device owner = SoftConnector.open(CarrierPolicy.AUTOMATIC);
  private SoftConnector.End peer;
  private SoftConnector.End own;
  private MemoryRegion parent;
  private MemoryWindow window;
  private HazardSlot hazard;

  /** Whether the area in which the hazard stands may be unmapped already. */
  private boolean ended;

  @BeforeEach
  void bind() {
    own = SoftConnector.end(owner, owner.createProtectionDomain());
    peer = connector.connect(near, owner, own);
    MappedMemory memory = owner.allocate(4096);
    parent = own.domain().register(memory, 0, 4096, EnumSet.of(AccessFlag.WINDOW_BIND));
    window = own.domain().allocateWindow();
    own.post(bindRequest());
    assertThat(own.next().isSuccess()).isTrue();
    MappedMemory area = ((SoftQueuePair) own.queuePair()).area();
    hazard =
        new HazardSlot(
            area, QueuePairAreaLayout.hazard(QueuePairAreaLayout.FIRST_MAPPED_HAZARD + 3));
    hazard.announce(KeyTable.slot(window.remoteKey()));
  }

  @AfterEach
  void closeAll() {
    if (!ended) {
      hazard.clear();
    }
    near.close();
    owner.close();
    connector.close();
  }

  @Test
  void aLocalInvalidateShutsTheKeyAtOnceAndCompletesWhenThePeerIsOut() {
    int key = window.remoteKey();
    assertThat(isOpen(key)).isTrue();
    own.post(new SendRequest(1).localInvalidate(2, key).signaled());
    assertThat(isOpen(key)).isFalse();
    assertThat(own.hasNone()).isTrue();
    hazard.clear();
    expectSuccess(own.next(), 2, Opcode.LOCAL_INVALIDATE);
  }

  @Test
  void aSendWithInvalidateArrivesWhenThePeersReadersAreOut() {
    int key = window.remoteKey();
    own.queuePair().postReceive(new ReceiveRequest(1).begin(7));
    peer.post(new SendRequest(1).sendWithInvalidate(3, key).signaled());
    assertThat(isOpen(key)).isFalse();
    assertThat(own.hasNone()).isTrue();
    assertThat(peer.hasNone()).isTrue();
    hazard.clear();
    expectSuccess(peer.next(), 3, Opcode.SEND);
    WorkCompletion received = own.next();
    expectSuccess(received, 7, Opcode.RECEIVE);
    assertThat(received.invalidatedKey()).isEqualTo(key);
  }

  @Test
  void aDeallocationWaitsForThePeer() {
    int key = window.remoteKey();
    Future<?> closing = connector.async(window::close);
    Await.until("the key is shut", () -> !isOpen(key));
    assertThat(closing).isNotDone();
    hazard.clear();
    Await.result("deallocating", closing);
  }

  @Test
  void aPeerThatStaysInsideIsWaitedForAgainAlsoAfterItsQueuePairIsGone() {
    own.queuePair().close();
    assertThatThrownBy(window::close)
        .isInstanceOfSatisfying(
            VerbsException.class,
            e -> assertThat(e.code()).isEqualTo(VerbsException.Code.TIMED_OUT));
    assertThatThrownBy(window::close).isInstanceOf(VerbsException.class);
    ended = true;
    hazard.clear();
    window.close();
  }

  @Test
  void aPeerInsideTheFormerBindHoldsTheNextOneUp() {
    int key = window.remoteKey();
    assertThat(((SoftDevice) owner).keys().invalidate(key, domain(), own.queuePair().number()))
        .isTrue();
    int next = window.renewKey();
    own.post(bindRequest());
    assertThat(own.hasNone()).isTrue();
    assertThat(isOpen(next)).isFalse();
    hazard.clear();
    expectSuccess(own.next(), 1, Opcode.BIND_WINDOW);
    assertThat(isOpen(next)).isTrue();
  }

  private SendRequest bindRequest() {
    return new SendRequest(1).bindWindow(1, window, parent, parent.address(), 100, READ).signaled();
  }

  private boolean isOpen(int key) {
    return ((SoftDevice) owner)
        .keys()
        .allows(
            key, domain(), own.queuePair().number(), KeyTable.REMOTE_READ, parent.address(), 100);
  }

  private int domain() {
    return ((SoftProtectionDomain) own.domain()).number();
  }

  private static void expectSuccess(WorkCompletion done, long id, Opcode opcode) {
    assertThat(done.isSuccess()).as(done.toString()).isTrue();
    assertThat(done.requestId()).isEqualTo(id);
    assertThat(done.opcode()).isEqualTo(opcode);
  }
}
