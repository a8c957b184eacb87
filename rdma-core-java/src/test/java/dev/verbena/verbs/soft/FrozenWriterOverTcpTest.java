// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import dev.verbena.testing.Pattern;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Over tcp the owner's device writes: a stopped peer keeps no memory, and its late frames fail. */
final class FrozenWriterOverTcpTest {
  private final FaultBed bed = new FaultBed(CarrierPolicy.TCP_ONLY);
  private final Device owner = bed.open("");
  private final FaultEnd end = new FaultEnd(owner, FaultFamily.WRITE, Await.PATIENCE);
  private FaultBed.Child writer;

  @AfterEach
  void leave() {
    writer.process().close();
    end.close();
    owner.close();
    bed.open("").close();
    bed.close();
  }

  @Test
  void theFramesOfAWriterThatWasStoppedMeetTheKeyThatWasRevoked() {
    writer = bed.start(end, FaultFamily.WRITE, true, "freeze FRAME_BUILT 2");
    writer.process().awaitStopped();
    end.windows().forEach(window -> window.close());
    end.main().close();
    new Pattern(4).fill(end.main().memory(), 0, end.main().length());
    writer.process().signal("CONT");
    FaultBed.expectLine(writer.process(), CompletionStatus.REMOTE_ACCESS_ERROR.toString());
    assertThat(new Pattern(4).mismatch(end.main().memory(), 0, end.main().length())).isEqualTo(-1);
  }

  @Test
  void theFramesOfAWriterThatWasStoppedMeetTheWindowThatWasInvalidated() {
    writer = bed.start(end, FaultFamily.WINDOW_WRITE, true, "freeze FRAME_BUILT 2");
    writer.process().awaitStopped();
    end.windows().get(0).close();
    new Pattern(4).fill(end.main().memory(), 0, FaultEnd.TARGET);
    writer.process().signal("CONT");
    FaultBed.expectLine(writer.process(), CompletionStatus.REMOTE_ACCESS_ERROR.toString());
    assertThat(new Pattern(4).mismatch(end.main().memory(), 0, FaultEnd.TARGET)).isEqualTo(-1);
  }
}
