// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.testing.Await;
import dev.verbena.time.Deadline;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DeviceThreadTest {
  private final AtomicInteger ran = new AtomicInteger();

  @Test
  void aTimerThatThrowsTakesNoneOfThoseAlongThatExpireWithIt() {
    DeviceThread thread = new DeviceThread("timers");
    thread.start();
    thread.execute(
        () -> {
          Deadline now = Deadline.after(Duration.ZERO);
          for (int i = 0; i < 5; i++) {
            thread.schedule(now, this::runAndThrow);
          }
        });
    Await.until("all timers", () -> ran.get() == 5);
    thread.stop();
  }

  @Test
  void aCommandThatThrowsHoldsUpNoneOfThoseBehindIt() {
    DeviceThread thread = new DeviceThread("commands");
    thread.start();
    CountDownLatch all = new CountDownLatch(1);
    thread.execute(() -> Await.until("the commands behind", () -> all.getCount() == 0));
    for (int i = 0; i < 5; i++) {
      thread.execute(this::runAndThrow);
    }
    all.countDown();
    Await.until("all commands", () -> ran.get() == 5);
    thread.stop();
  }

  private void runAndThrow() {
    ran.incrementAndGet();
    throw new IllegalStateException("a failure that the test makes");
  }
}
