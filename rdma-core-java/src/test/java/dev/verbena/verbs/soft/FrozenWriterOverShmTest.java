// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.Await;
import dev.verbena.testing.Pattern;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.QueuePair.State;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A peer that is stopped by SIGSTOP in the middle of a WRITE, and goes on after the owner revoked:
 * the memory is kept out of use until then, a late byte lands nowhere else, and what the peer had
 * not checked before ends in REMOTE_ACCESS_ERROR.
 */
final class FrozenWriterOverShmTest {
  /** The usual 5 s would only make the tests longer. */
  private static final String IMPATIENT = "patience 500ms";

  private final FaultBed bed = new FaultBed(CarrierPolicy.AUTOMATIC);
  private final Device owner = bed.open(IMPATIENT);
  private final FaultEnd end = new FaultEnd(owner, FaultFamily.WRITE, Await.PATIENCE);
  private FaultBed.Child writer;

  @AfterEach
  void leave() {
    if (writer != null) {
      writer.process().close();
      Await.until("end of the quarantine", () -> ((SoftDevice) owner).quarantine().isEmpty());
    }
    end.close();
    owner.close();
    bed.open("").close();
    bed.close();
  }

  private void freezeAt(String when, FaultFamily family) {
    writer = bed.start(end, family, true, "freeze " + when);
    writer.process().awaitStopped();
  }

  private void expectLateEnd(CompletionStatus status) {
    writer.process().signal("CONT");
    FaultBed.expectLine(writer.process(), status.toString());
  }

  private static void expectKept(ThrowingCallable closing) {
    VerbsException failure = catchThrowableOfType(VerbsException.class, closing);
    assertThat(failure).as("what a stopped peer is inside of").isNotNull();
    assertThat(failure.code()).isEqualTo(VerbsException.Code.TIMED_OUT);
  }

  /** What was not granted again: the late bytes may only be there. */
  private static void expectIntact(MappedMemory memory, long seed) {
    assertThat(new Pattern(seed).mismatch(memory, 0, memory.size())).isEqualTo(-1);
  }

  private void expectGivenBack(ThrowingCallable closing) {
    Await.until("end of the quarantine", () -> ((SoftDevice) owner).quarantine().isEmpty());
    assertThat(catchThrowableOfType(VerbsException.class, closing)).isNull();
  }

  @Test
  void memoryIsKeptWhileAWriterThatCheckedTheKeyIsStoppedAndTheNewOwnersStayIntact() {
    freezeAt("KEY_CHECKED 1", FaultFamily.WRITE);
    end.windows().forEach(window -> window.close());
    MappedMemory old = end.main().memory();
    expectKept(end.main()::close);
    expectKept(end.main()::close);
    MappedMemory granted = owner.allocate(old.size());
    new Pattern(3).fill(granted, 0, granted.size());
    new Pattern(4).fill(old, 0, FaultEnd.TARGET);
    expectLateEnd(CompletionStatus.REMOTE_ACCESS_ERROR);
    expectIntact(granted, 3);
    assertThat(new Pattern(4).mismatch(old, 0, FaultEnd.TARGET))
        .as("the one run of bytes whose key was checked came late, into what was kept")
        .isGreaterThanOrEqualTo(0);
    expectGivenBack(end.main()::close);
    granted.close();
  }

  @Test
  void aWriterStoppedBeforeItLookedAtTheKeyWritesNothingMore() {
    freezeAt("KEY_ANNOUNCED 1", FaultFamily.WRITE);
    end.windows().forEach(window -> window.close());
    expectKept(end.main()::close);
    new Pattern(4).fill(end.main().memory(), 0, end.main().length());
    expectLateEnd(CompletionStatus.REMOTE_ACCESS_ERROR);
    expectIntact(end.main().memory(), 4);
    expectGivenBack(end.main()::close);
  }

  @Test
  void aWriterThatDiesWhileStoppedGivesTheMemoryBack() {
    freezeAt("PARTLY_COPIED 1", FaultFamily.WRITE);
    end.windows().forEach(window -> window.close());
    expectKept(end.main()::close);
    writer.process().kill();
    expectGivenBack(end.main()::close);
  }

  /** The queue pair's announcements must go on to count after it closed. */
  @Test
  void closingTheQueuePairFirstDoesNotHideTheWriter() {
    freezeAt("KEY_CHECKED 1", FaultFamily.WRITE);
    end.queuePair().close();
    end.windows().forEach(window -> window.close());
    expectKept(end.main()::close);
    writer.process().signal("CONT");
    expectGivenBack(end.main()::close);
  }

  @Test
  void aDeviceThatClosesOverAStoppedWriterTellsThatMemoryIsNotFree() {
    Device doomed = bed.open(IMPATIENT);
    FaultEnd target = new FaultEnd(doomed, FaultFamily.WRITE, Await.PATIENCE);
    writer = bed.start(target, FaultFamily.WRITE, true, "freeze KEY_CHECKED 1");
    writer.process().awaitStopped();
    target.stopReceiving();
    expectKept(doomed::close);
  }

  @Test
  void aForeignBufferIsWrittenByItsOwnerSoItsRevocationWaitsForNobody() {
    freezeAt("ERRAND_ASKED 1", FaultFamily.FOREIGN);
    Await.until("the errand", () -> ((SoftQueuePair) end.queuePair()).hazardsAreClear());
    end.foreign().close();
    new Pattern(6).fill(end.foreign().memory(), 0, end.foreign().length());
    expectLateEnd(CompletionStatus.REMOTE_ACCESS_ERROR);
    expectIntact(end.foreign().memory(), 6);
  }

  @Test
  void aWindowIsKeptWhileAWriterIsStoppedInsideIt() {
    writeThroughWindow("KEY_CHECKED 1");
    expectKept(end.windows().get(0)::close);
    expectLateEnd(CompletionStatus.REMOTE_ACCESS_ERROR);
    expectGivenBack(end.windows().get(0)::close);
  }

  @Test
  void aLocalInvalidateGivesUpOnAWriterThatIsStoppedInsideAndTheKeyIsShut() {
    writeThroughWindow("KEY_CHECKED 1");
    int key = end.windows().get(0).remoteKey();
    assertThat(end.run(new SendRequest(1).localInvalidate(1, key)))
        .isEqualTo(CompletionStatus.GENERAL_ERROR);
    assertThat(end.queuePair().state()).isEqualTo(State.ERROR);
    expectKept(end.windows().get(0)::close);
    writer.process().signal("CONT");
    expectGivenBack(end.windows().get(0)::close);
  }

  private void writeThroughWindow(String when) {
    freezeAt(when, FaultFamily.WINDOW_WRITE);
  }

  @Test
  void aReaderOfOtherMemoryIsNotHeldUpByTheStoppedWriter() {
    freezeAt("KEY_CHECKED 1", FaultFamily.WRITE);
    MappedMemory memory = owner.allocate(4096);
    MemoryRegion other = end.register(memory);
    other.close();
    memory.close();
    assertThat(writer.process().isAlive()).isTrue();
  }
}
