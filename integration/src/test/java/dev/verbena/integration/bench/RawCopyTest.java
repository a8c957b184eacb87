// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class RawCopyTest {
  @Test
  void bytesGoFromOneBufferToTheOther() {
    ByteBuffer source = ByteBuffer.allocateDirect(100);
    for (int i = 0; i < 100; i++) {
      source.put(i, (byte) i);
    }
    ByteBuffer target = ByteBuffer.allocateDirect(100);
    RawCopy.copy(RawCopy.address(source) + 10, RawCopy.address(target) + 1, 50);
    assertThat(target.get(0)).isZero();
    assertThat(target.slice(1, 50)).isEqualTo(source.slice(10, 50));
    assertThat(target.get(51)).isZero();
  }
}
