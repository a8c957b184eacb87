// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.Await;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.VerbsProvider;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReactorThreadTest {
  /** As a fault of mapped memory that HotSpot held back until then. */
  @Test
  void anErrorDoesNotEndTheThreadThatOthersWaitFor() throws InterruptedException {
    try (Device device = VerbsProvider.named("soft").open(DeviceOptions.defaults())) {
      Reactor reactor = new Reactor(device, WaitStrategy.adaptive(), true);
      ReactorThread thread = ReactorThread.start(reactor, "reactor-under-test");
      CountDownLatch later = new CountDownLatch(1);
      reactor.execute(
          () -> {
            throw new InternalError("an error that this test throws");
          });
      reactor.execute(later::countDown);
      assertThat(later.await(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(thread.stop(Deadline.after(Await.PATIENCE))).isTrue();
    }
  }
}
