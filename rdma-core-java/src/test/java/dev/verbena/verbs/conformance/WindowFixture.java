// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.verbena.testing.Pattern;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.DeviceCapability;
import dev.verbena.verbs.MemoryWindow;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.QueuePair.State;
import dev.verbena.verbs.SendRequest;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;

/**
 * A connection whose server end binds windows to memory that peers can't reach otherwise. The
 * window lies at {@link #FROM} of it.
 */
abstract class WindowFixture extends Conformance {
  static final int SIZE = 1 << 16;
  static final int FROM = 4096;
  static final int LENGTH = 8192;
  static final Set<AccessFlag> PARENT = EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.WINDOW_BIND);
  static final Set<AccessFlag> ALL =
      EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);

  ConnectedPair pair;
  TestMemory local;
  TestMemory parent;
  MemoryWindow window;

  WindowFixture(VerbsUnderTest provider) {
    super(provider);
  }

  @BeforeEach
  final void connect() {
    assumeTrue(
        fabric().server().attributes().has(DeviceCapability.MEMORY_WINDOW_TYPE_2B),
        "the device has windows");
    pair = fabric().connect();
    local = pair.client().memory(SIZE).fill(1);
    parent = pair.server().memory(SIZE, PARENT).fill(2);
    window = fabric().own(pair.server().domain().allocateWindow());
  }

  /** Binds the window to its usual range and returns its key. */
  final int bind(Set<AccessFlag> access) {
    pair.server().run(bindRequest(access)).expectSuccess(1, Opcode.BIND_WINDOW);
    return window.remoteKey();
  }

  final SendRequest bindRequest(Set<AccessFlag> access) {
    return new SendRequest(1)
        .bindWindow(1, window, parent.region(), parent.address(FROM), LENGTH, access);
  }

  final SendRequest write(long id, long offset, int length, int key) {
    return local.addTo(new SendRequest(1).write(id, parent.address(offset), key), 0, length);
  }

  final SendRequest read(long id, long offset, int length, int key) {
    return local.addTo(new SendRequest(1).read(id, parent.address(offset), key), 0, length);
  }

  /** Runs a request of an end that must fail, and break the connection. */
  final void expectFailed(Endpoint end, SendRequest request, CompletionStatus status) {
    end.post(request.signaled());
    end.sends().next().expectStatus(request.requestId(), status);
    pair.client().awaitState(State.ERROR);
    pair.server().awaitState(State.ERROR);
  }

  /** The client's request must be refused and leave the parent as it is. */
  final void expectRefused(SendRequest request) {
    byte[] before = parent.bytes(0, SIZE);
    expectFailed(pair.client(), request, CompletionStatus.REMOTE_ACCESS_ERROR);
    assertThat(parent.bytes(0, SIZE)).isEqualTo(before);
  }

  static byte[] pattern(long seed, int from, int length) {
    return new Pattern(seed).bytes(from, length);
  }
}
