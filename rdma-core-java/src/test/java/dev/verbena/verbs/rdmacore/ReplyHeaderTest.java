// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.verbs.VerbsException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What a passive side says, as it comes: padded, or of somebody else. */
final class ReplyHeaderTest {
  private static final int PADDED = 196;

  @Test
  void dataAndMtuSurviveThePadding() {
    byte[] padded = Arrays.copyOf(ReplyHeader.encode(3, new byte[] {5, 6, 0}), PADDED);
    assertThat(ReplyHeader.mtu(padded)).isEqualTo(3);
    assertThat(ReplyHeader.data(padded)).containsExactly(5, 6, 0);
  }

  @Test
  void repliesOfOthersAreRefused() {
    byte[] good = Arrays.copyOf(ReplyHeader.encode(3, new byte[10]), PADDED);
    expectRefused(new byte[0]);
    expectRefused(new byte[PADDED]);
    expectRefused(changed(good, ReplyHeader.MAGIC_OFFSET, 0));
    expectRefused(changed(good, ReplyHeader.VERSION_OFFSET, 2));
    expectRefused(changed(good, ReplyHeader.MTU_OFFSET, 0));
    expectRefused(changed(good, ReplyHeader.MTU_OFFSET, 6));
    expectRefused(changed(good, ReplyHeader.MTU_OFFSET, -1));
    expectRefused(changed(good, ReplyHeader.LENGTH_OFFSET, 0xff));
    expectRefused(changed(good, ReplyHeader.LENGTH_OFFSET, 1));
  }

  private static byte[] changed(byte[] reply, int at, int value) {
    byte[] other = reply.clone();
    other[at] = (byte) value;
    return other;
  }

  private static void expectRefused(byte[] reply) {
    assertThatThrownBy(() -> ReplyHeader.mtu(reply))
        .isInstanceOf(VerbsException.class)
        .extracting(e -> ((VerbsException) e).code())
        .isEqualTo(VerbsException.Code.PROTOCOL);
  }
}
