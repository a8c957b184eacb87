// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.verbs.DeviceAttributes;
import dev.verbena.verbs.DeviceCapability;
import dev.verbena.verbs.FlushLevel;
import dev.verbena.verbs.FlushType;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.VerbsException;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is refused before a device sees it. */
final class RequestRulesTest {
  private final RequestRules rules =
      new RequestRules(
          RetryCodesTest.USUAL,
          new RdmaDevice(
              1,
              new DeviceInfo(
                  "fake0",
                  "rxe",
                  new DeviceAttributes(
                      1 << 23,
                      100,
                      4,
                      64,
                      56,
                      1024,
                      false,
                      Set.of(DeviceCapability.FLUSH_PERSISTENT)),
                  100,
                  100,
                  3,
                  16,
                  true)));

  @Test
  void aFlushIsNoLongerThanAPacketCanName() {
    assertThatCode(() -> rules.check(flush(0))).doesNotThrowAnyException();
    assertThatCode(() -> rules.check(flush(RequestRules.MAX_FLUSH))).doesNotThrowAnyException();
    expectRefused(RequestRules.MAX_FLUSH + 1);
    expectRefused(1L << 32);
    expectRefused(-1);
  }

  private void expectRefused(long length) {
    assertThatThrownBy(() -> rules.check(flush(length)))
        .isInstanceOfSatisfying(
            VerbsException.class,
            e -> assertThat(e.code()).isEqualTo(VerbsException.Code.INVALID_ARGUMENT));
  }

  private static SendRequest flush(long length) {
    return new SendRequest(1).flush(1, 4096, 7, length, FlushType.PERSISTENT, FlushLevel.RANGE);
  }
}
