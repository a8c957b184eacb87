// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.MemoryWindow;
import dev.verbena.verbs.Opcode;
import dev.verbena.verbs.QueuePair.State;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsException.Code;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Binds and invalidates that must fail: ibv_wr_bind_mw(3). */
abstract class WindowErrorConformance extends WindowFixture {
  WindowErrorConformance(VerbsUnderTest provider) {
    super(provider);
  }

  @ParameterizedTest
  @CsvSource({
    "-1, 100",
    "65437, 100",
    "0, 65537",
    "0, 0",
    "0, -1",
    "8, 9223372036854775807",
    "-9223372036854775808, 8"
  })
  void aBindMustStayWithinItsRegion(long offset, long length) {
    expectBindError(
        new SendRequest(1)
            .bindWindow(1, window, parent.region(), parent.address(offset), length, ALL));
  }

  @Test
  void aRegionMustAllowBinds() {
    TestMemory plain = pair.server().memory(SIZE);
    expectBindError(
        new SendRequest(1).bindWindow(1, window, plain.region(), plain.address(0), 100, ALL));
  }

  @ParameterizedTest
  @ValueSource(strings = {"REMOTE_WRITE", "REMOTE_ATOMIC"})
  void memoryThatIsNotLocallyWritableCannotBeOpenedForChanges(AccessFlag flag) {
    TestMemory readOnly = pair.server().memory(SIZE, EnumSet.of(AccessFlag.WINDOW_BIND));
    expectBindError(
        new SendRequest(1)
            .bindWindow(1, window, readOnly.region(), readOnly.address(0), 100, EnumSet.of(flag)));
  }

  @Test
  void memoryThatIsNotLocallyWritableCanBeOpenedForReads() {
    TestMemory readOnly = pair.server().memory(SIZE, EnumSet.of(AccessFlag.WINDOW_BIND)).fill(3);
    pair.server()
        .run(
            new SendRequest(1)
                .bindWindow(
                    1,
                    window,
                    readOnly.region(),
                    readOnly.address(0),
                    100,
                    EnumSet.of(AccessFlag.REMOTE_READ)));
    SendRequest read = new SendRequest(1).read(2, readOnly.address(0), window.remoteKey());
    pair.client().run(local.addTo(read, 0, 100));
    local.expect(0, 100, 3);
    window.close();
  }

  @Test
  void plainMemoryCannotBeOpenedForPersistentFlushes() {
    expectBindError(bindRequest(EnumSet.of(AccessFlag.FLUSH_PERSISTENT)));
  }

  @Test
  void aWindowGivesRemoteAccessOnly() {
    var queuePair = pair.server().queuePair();
    SendRequest local = bindRequest(EnumSet.of(AccessFlag.LOCAL_WRITE));
    expectFailure(() -> queuePair.postSend(local), Code.INVALID_ARGUMENT);
    SendRequest nested = bindRequest(EnumSet.of(AccessFlag.WINDOW_BIND));
    expectFailure(() -> queuePair.postSend(nested), Code.INVALID_ARGUMENT);
  }

  @Test
  void aRegionOfAnotherDomainCannotBeBound() {
    Endpoint stranger = new Endpoint(fabric(), fabric().server(), attributes -> attributes);
    TestMemory foreign = stranger.memory(SIZE, PARENT);
    expectBindError(
        new SendRequest(1).bindWindow(1, window, foreign.region(), foreign.address(0), 100, ALL));
  }

  @Test
  void aWindowOfAnotherDomainCannotBeBound() {
    Endpoint stranger = new Endpoint(fabric(), fabric().server(), attributes -> attributes);
    try (MemoryWindow foreign = stranger.domain().allocateWindow()) {
      expectBindError(
          new SendRequest(1).bindWindow(1, foreign, parent.region(), parent.address(0), 100, ALL));
    }
  }

  @Test
  void aBoundWindowCannotBeBoundAgain() {
    int key = bind(ALL);
    window.renewKey();
    expectBindError(bindRequest(ALL));
    expectFailure(() -> parent.region().close(), Code.INVALID_STATE);
    assertThat(window.remoteKey()).isNotEqualTo(key);
  }

  @Test
  void aKeyServesOneBind() {
    int key = bind(ALL);
    pair.server().run(new SendRequest(1).localInvalidate(2, key));
    expectBindError(bindRequest(ALL));
  }

  @Test
  void aDeallocatedWindowCannotBeBound() {
    SendRequest bind = bindRequest(ALL);
    window.close();
    expectBindError(bind);
  }

  @Test
  void aDeregisteredRegionCannotBeBound() {
    parent.region().close();
    expectBindError(bindRequest(ALL));
  }

  @Test
  void bindsAndInvalidatesTakeNoData() {
    var queuePair = pair.server().queuePair();
    SendRequest bind = parent.addTo(bindRequest(ALL), 0, 8);
    expectFailure(() -> queuePair.postSend(bind), Code.INVALID_ARGUMENT);
    SendRequest invalidate = parent.addTo(new SendRequest(1).localInvalidate(1, 1), 0, 8);
    expectFailure(() -> queuePair.postSend(invalidate), Code.INVALID_ARGUMENT);
  }

  @Test
  void aFlushedBindOpensNothing() {
    pair.server().post(new SendRequest(1).localInvalidate(0, 77));
    pair.server().post(bindRequest(ALL).signaled());
    pair.server().sends().next().expectStatus(0, CompletionStatus.LOCAL_QP_OPERATION_ERROR);
    pair.server().sends().next().expectStatus(1, CompletionStatus.WORK_REQUEST_FLUSHED);
    parent.region().close();
  }

  @Test
  void aRegionCannotBeInvalidatedLocally() {
    TestMemory plain = pair.server().memory(SIZE);
    expectFailed(
        pair.server(),
        new SendRequest(1).localInvalidate(1, plain.region().remoteKey()),
        CompletionStatus.LOCAL_QP_OPERATION_ERROR);
  }

  @Test
  void aWindowOfAnotherQueuePairCannotBeInvalidatedLocally() {
    int key = bind(ALL);
    ConnectedPair other = fabric().connectInto(pair.server().domain());
    other.server().post(new SendRequest(1).localInvalidate(1, key).signaled());
    other.server().sends().next().expectStatus(1, CompletionStatus.LOCAL_QP_OPERATION_ERROR);
    pair.client().run(write(2, FROM, 8, key));
  }

  @Test
  void aPeerCannotInvalidateARegion() {
    TestMemory plain = pair.server().memory(SIZE);
    expectInvalidationRefused(pair, plain.region().remoteKey());
  }

  @Test
  void aPeerCannotInvalidateAKeyThatIsNotBound() {
    expectInvalidationRefused(pair, window.remoteKey());
  }

  @Test
  void aPeerCannotInvalidateAWindowOfAnotherQueuePair() {
    int key = bind(ALL);
    needs(Ability.CHECKS_OWNERS_OF_WINDOWS);
    expectInvalidationRefused(fabric().connectInto(pair.server().domain()), key);
    pair.client().run(write(2, FROM, 8, key));
  }

  @Test
  void aWindowsKeyIsNotALocalKey() {
    int key = bind(ALL);
    TestMemory target = pair.client().memory(SIZE);
    SendRequest write = target.write(1, 0).buffer(parent.address(FROM), 8, key);
    expectFailed(pair.server(), write, CompletionStatus.LOCAL_PROTECTION_ERROR);
  }

  private void expectBindError(SendRequest bind) {
    expectFailed(pair.server(), bind, CompletionStatus.MEMORY_WINDOW_BIND_ERROR);
  }

  private void expectInvalidationRefused(ConnectedPair on, int key) {
    on.server().postReceive(9);
    on.client().post(new SendRequest(1).sendWithInvalidate(1, key).signaled());
    Completion sent = on.client().sends().next();
    if (has(Ability.ANSWERS_REFUSED_INVALIDATIONS)) {
      assertThat(sent.status()).isNotEqualTo(CompletionStatus.SUCCESS);
    }
    Completion received = on.server().receives().next();
    assertThat(received.status()).isNotEqualTo(CompletionStatus.SUCCESS);
    assertThat(received.opcode()).isEqualTo(Opcode.RECEIVE);
    on.client().awaitState(State.ERROR);
    on.server().awaitState(State.ERROR);
  }
}
