// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.QueuePair.State;
import dev.verbena.verbs.SendRequest;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * A step that throws, at either end and under every family, ends the request with an error, breaks
 * the connection at both ends and leaves nothing announced.
 */
abstract class EngineFailSuite {
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /** What runs in callers' threads; a plan that lets them fail is refused. */
  private static final Set<FaultStep> CAN_NOT_FAIL =
      EnumSet.of(FaultStep.RECEIVE_DEALT, FaultStep.RECEIVE_RECALLED);

  private final CarrierPolicy policy;

  EngineFailSuite(CarrierPolicy policy) {
    this.policy = policy;
  }

  @TestFactory
  final Stream<DynamicTest> aStepThatFailsBreaksTheConnectionAndLeavesNothing() {
    return FaultMatrix.of(policy).cells().stream()
        .filter(cell -> !isOver(cell))
        .map(cell -> DynamicTest.dynamicTest(cell.toString(), () -> fail(cell)));
  }

  private static boolean isOver(FaultMatrix.Cell cell) {
    // The thread that persisted has nothing more to do once its answer stands in the area.
    boolean persisted =
        cell.family() == FaultFamily.FLUSH && cell.step() == FaultStep.ANSWER_WRITTEN;
    return persisted || CAN_NOT_FAIL.contains(cell.step());
  }

  private void fail(FaultMatrix.Cell cell) {
    String plan = "held; fail " + cell.step() + " 1";
    try (FaultBed bed = new FaultBed(policy);
        Device near = bed.open(cell.acts() ? plan : "");
        Device far = bed.open(cell.acts() ? "" : plan);
        FaultEnd actor = new FaultEnd(near, cell.family(), PATIENCE);
        FaultEnd target = new FaultEnd(far, cell.family(), PATIENCE)) {
      bed.connect(actor, target);
      actor.begin();
      target.begin();
      FaultBed.port(cell.acts() ? near : far).begin();
      CompletionStatus status = CompletionStatus.SUCCESS;
      for (int round = 0; round < FaultMatrix.ROUNDS && isGood(status); round++) {
        status = actor.act(cell.family(), target.offer(), round);
      }
      assertThat(status).isNotEqualTo(CompletionStatus.SUCCESS);
      Await.until("ERROR", () -> isBroken(actor) && isBroken(target));
      assertThat(actor.run(new SendRequest(1).send(0)))
          .isEqualTo(CompletionStatus.WORK_REQUEST_FLUSHED);
    }
  }

  private static boolean isGood(CompletionStatus status) {
    return status == CompletionStatus.SUCCESS;
  }

  private static boolean isBroken(FaultEnd end) {
    return end.queuePair().state() == State.ERROR;
  }
}
