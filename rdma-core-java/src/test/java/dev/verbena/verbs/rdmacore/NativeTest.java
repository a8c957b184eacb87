// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.verbena.jni.NativeLibrary;
import java.nio.IntBuffer;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the native library answers without a device. */
final class NativeTest {
  @Test
  void anotherLayoutIsRefused() {
    assumeLoaded();
    int count = ExpectedStructures.count();
    var told = NativeMemory.buffer(count * Integer.BYTES);
    IntBuffer numbers = told.asIntBuffer();
    assertThat(Native.layout(NativeMemory.address(told), count)).isEqualTo(count);
    assertThat(ExpectedStructures.difference(numbers, count)).isEmpty();
    assertThat(ExpectedStructures.mismatch()).isEmpty();
    assertThat(ExpectedStructures.difference(numbers, count - 1)).isPresent();
    for (int i = 0; i < count; i++) {
      int right = numbers.get(i);
      numbers.put(i, right + 1);
      assertThat(ExpectedStructures.difference(numbers, count)).as("number %d", i).isPresent();
      numbers.put(i, right);
    }
  }

  @Test
  void handlesThatWereNeverGivenOutAreErrors() {
    assumeLoaded();
    for (long handle : new long[] {0, 1, -1, Long.MAX_VALUE, 1L << 40 | 1L << 32}) {
      assertThat(Native.domainDestroy(handle)).isEqualTo(-Failures.EBADF);
      assertThat(Native.queuePairBreak(handle)).isEqualTo(-Failures.EBADF);
      assertThat(Native.idDestroy(handle)).isEqualTo(-Failures.EBADF);
      assertThat(Native.channelWait(handle, 0)).isEqualTo(-Failures.EBADF);
    }
  }

  @Test
  void memoryOfSeveralGibibytesIsContiguous() {
    assumeLoaded();
    long bytes = (2L << 30) + 4096;
    try (var memory = NativeMemory.map(bytes)) {
      assertThat(memory.size()).isEqualTo(bytes);
      memory.putLong(bytes - Long.BYTES, 7);
      memory.putLong(0, 9);
      assertThat(memory.getLong(bytes - Long.BYTES)).isEqualTo(7);
      assertThat(NativeMemory.address(memory, 0, bytes))
          .isEqualTo(NativeMemory.address(memory, 4096, bytes - 4096) - 4096);
    }
  }

  private static void assumeLoaded() {
    Optional<String> problem = NativeLibrary.problem();
    assumeTrue(problem.isEmpty(), () -> "without the library: " + problem.orElse(""));
  }
}
