// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

class DaxDeviceTest {
  /** A device whose bytes may be lost, such as the guest of the VM lane has. */
  private static final String DEVICE = "VERBENA_DAX_DEVICE";

  @Test
  void withoutTheLibraryOneMessageSaysSo() {
    String cause = DaxDevice.unavailabilityCause().orElse("");
    assumeTrue(!cause.isEmpty(), "the library is there");
    assertThat(cause).doesNotContain("\n");
    assertThatThrownBy(() -> DaxDevice.tryOpen(Path.of("/dev/dax0.0")))
        .isInstanceOf(IOException.class)
        .hasMessage("/dev/dax0.0 can't be used as a DAX device without libverbena.so: " + cause);
  }

  @Test
  void whatIsNoDaxDeviceIsRefused(@TempDir Path directory) throws IOException {
    assumeLoaded();
    Path file = Files.createFile(directory.resolve("file"));
    for (Path other : new Path[] {Path.of("/dev/null"), directory, file}) {
      assertThatThrownBy(() -> DaxDevice.tryOpen(other))
          .isInstanceOf(IOException.class)
          .hasMessage(other + " can't be used as a DAX device: it is none");
    }
    assertThatThrownBy(() -> DaxDevice.tryOpen(directory.resolve("missing")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("No such file or directory");
  }

  @Test
  @EnabledIfEnvironmentVariable(named = DEVICE, matches = "/.*")
  void whatWasMadeDurableIsThereAfterReopening() throws IOException {
    long last;
    long before;
    try (DaxDevice device = open();
        MappedMemory memory = device.map(device.size() / device.alignment() * device.alignment())) {
      last = memory.size() - Long.BYTES;
      before = memory.getLong(last);
      memory.putLong(last, before + 1);
      memory.force(last, Long.BYTES);
      memory.force(0, memory.size());
      assertThat(memory.isTruncated()).isFalse();
      assertThat(memory.backingFile()).isEmpty();
      assertThat(memory.toString()).contains(device.path().toString());
    }
    try (DaxDevice device = open();
        MappedMemory memory = device.map(device.size() / device.alignment() * device.alignment())) {
      assertThat(memory.getLong(last)).isEqualTo(before + 1);
    }
  }

  @Test
  @EnabledIfEnvironmentVariable(named = DEVICE, matches = "/.*")
  void aDeviceHasOneOwnerUntilItIsClosedEvenIfAMappingStays() throws IOException {
    DaxDevice first = open();
    MappedMemory memory = first.map(first.alignment());
    assertThat(DaxDevice.tryOpen(first.path())).isEmpty();
    assertThat(DaxDevice.tryOpen(first.path())).isEmpty();
    first.close();
    first.close();
    try (DaxDevice second = open()) {
      assertThat(second.size()).isEqualTo(first.size());
      memory.force(0, 64);
    }
    memory.close();
    memory.close();
    assertThatThrownBy(() -> memory.force(0, 64)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  @EnabledIfEnvironmentVariable(named = DEVICE, matches = "/.*")
  void onlyMultiplesOfTheAlignmentWithinTheDeviceAreMapped() throws IOException {
    try (DaxDevice device = open()) {
      long alignment = device.alignment();
      long beyond = (device.size() / alignment + 1) * alignment;
      for (long wrong : new long[] {0, -alignment, 4096, alignment + 4096, beyond}) {
        assertThatThrownBy(() -> device.map(wrong))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(wrong + " bytes of " + device.path())
            .hasMessageContaining(
                "expected a multiple of " + alignment + ", at most " + device.size());
      }
    }
  }

  private static DaxDevice open() throws IOException {
    return DaxDevice.tryOpen(Path.of(System.getenv(DEVICE))).orElseThrow();
  }

  private static void assumeLoaded() {
    String cause = DaxDevice.unavailabilityCause().orElse("");
    assumeTrue(cause.isEmpty(), () -> "without the library: " + cause);
  }
}
