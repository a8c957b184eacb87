// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The model's clock is the test's: nothing here waits, but for the last. */
class LinkModelTest {
  private static final long MILLI = 1_000_000;
  private static final LinkModel.Settings NONE = LinkModel.Settings.NONE;

  private static LinkModel model(LinkModel.Settings settings) {
    return new LinkModel(settings, new SplittableRandom(5));
  }

  @Test
  void aRateSpacesFramesByTheirLength() {
    LinkModel model = model(NONE.withRate(1000));
    assertThat(model.arrival(1, 0)).isEqualTo(MILLI);
    assertThat(model.arrival(2, 0)).isEqualTo(3 * MILLI);
    assertThat(model.arrival(1, 10 * MILLI)).as("an idle link").isEqualTo(11 * MILLI);
  }

  @Test
  void aDelayIsAddedToEachFrameAndTakesNothingOfTheRate() {
    LinkModel model = model(NONE.withRate(1000).withDelay(Duration.ofMillis(50)));
    assertThat(model.arrival(1, 0)).isEqualTo(51 * MILLI);
    assertThat(model.arrival(1, 0)).isEqualTo(52 * MILLI);
  }

  @Test
  void anOutageHoldsFramesBackUntilItsEnd() {
    LinkModel model = model(NONE.withOutage(Duration.ofMillis(10), Duration.ofMillis(20)));
    long start = 77;
    assertThat(model.arrival(1, start)).isEqualTo(start);
    assertThat(model.arrival(1, start + 10 * MILLI)).isEqualTo(start + 20 * MILLI);
    assertThat(model.arrival(1, start + 15 * MILLI)).isEqualTo(start + 20 * MILLI);
    assertThat(model.arrival(1, start + 20 * MILLI)).isEqualTo(start + 20 * MILLI);
  }

  @Test
  void aLostFrameComesLaterAndThoseBehindItDoNotOvertake() {
    LinkModel model = model(NONE.withDelay(Duration.ofMillis(1)).withLossOneIn(10));
    long[] arrivals = LongStream.range(0, 1000).map(i -> model.arrival(1, i * 1000)).toArray();
    assertThat(arrivals).isSorted();
    assertThat(LongStream.range(0, 1000).filter(i -> arrivals[(int) i] > i * 1000 + MILLI))
        .hasSizeBetween(50, 1000);
  }

  @Test
  void framesAreHeldUntilTheirTimeAndInOrder() {
    FramePace pace = FramePace.of(model(NONE.withRate(1000)));
    pace.add(1, 0);
    pace.add(2, 0);
    assertThat(pace.passable(0)).isZero();
    assertThat(pace.heldNanos(0)).isEqualTo(MILLI);
    assertThat(pace.passable(MILLI)).isEqualTo(1);
    assertThat(pace.heldNanos(MILLI)).isZero();
    pace.wrote(1);
    assertThat(pace.heldNanos(MILLI)).isEqualTo(2 * MILLI);
    assertThat(pace.passable(3 * MILLI)).isEqualTo(2);
  }

  @Test
  void operationsOverASlowLinkTakeAtLeastItsDelay() {
    List<CompletionStatus> ended = new ArrayList<>();
    try (FaultBed bed = new FaultBed(CarrierPolicy.TCP_ONLY);
        Device near = bed.open("link delay 20ms rate 20000000 loss 20");
        Device far = bed.open("link delay 20ms");
        FaultEnd actor = new FaultEnd(near, FaultFamily.WRITE, Await.PATIENCE);
        FaultEnd target = new FaultEnd(far, FaultFamily.WRITE, Await.PATIENCE)) {
      bed.connect(actor, target);
      actor.begin();
      target.begin();
      for (FaultFamily family : FaultFamily.values()) {
        long before = System.nanoTime();
        ended.add(actor.act(family, target.offer(), 1));
        if (family != FaultFamily.WINDOW) {
          assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(40 * MILLI);
        }
      }
    }
    assertThat(ended).containsOnly(CompletionStatus.SUCCESS);
  }
}
