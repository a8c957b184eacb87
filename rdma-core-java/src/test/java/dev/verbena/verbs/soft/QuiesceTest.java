// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.SendRequest;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The device thread takes the run claim for a moment whenever a peer gives a segment back. */
class QuiesceTest {
  private static final int REQUESTS = 20_000;

  @Test
  void aRequestThatIsPostedWhileTheClaimIsTakenForAMomentRunsAllTheSame() {
    AtomicBoolean done = new AtomicBoolean();
    try (SoftConnector connector = new SoftConnector();
        Device near = SoftConnector.open(CarrierPolicy.AUTOMATIC);
        Device far = SoftConnector.open(CarrierPolicy.AUTOMATIC)) {
      SoftConnector.End passive = SoftConnector.end(far, far.createProtectionDomain());
      SoftConnector.End active = connector.connect(near, far, passive);
      SoftQueuePair queuePair = (SoftQueuePair) active.queuePair();
      Future<?> quiescing =
          connector.async(
              () -> {
                while (!done.get()) {
                  queuePair.quiesce();
                }
              });
      try {
        for (int i = 0; i < REQUESTS; i++) {
          passive.queuePair().postReceive(new ReceiveRequest(1).begin(i));
          active.post(new SendRequest(1).send(i).signaled());
          assertThat(active.next().isSuccess()).isTrue();
          assertThat(passive.next().requestId()).isEqualTo(i);
        }
      } finally {
        done.set(true);
      }
      Await.result("the end", quiescing);
    }
  }
}
