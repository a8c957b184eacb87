// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryMapperTest {
  private static final long SIZE = 1 << 20;

  @TempDir private Path directory;

  private static boolean isMapped(Path file) throws IOException {
    return Files.readString(Path.of("/proc/self/maps")).contains(file.toString());
  }

  @Test
  void closingUnmapsAtOnceAndKeepsTheFile() throws IOException {
    Path file = directory.resolve("kept");
    MappedMemory memory = MemoryMapper.create(file, SIZE);
    memory.putLong(SIZE - Long.BYTES, 42);
    assertThat(isMapped(file)).isTrue();

    memory.close();
    memory.close();

    assertThat(isMapped(file)).isFalse();
    assertThatThrownBy(() -> memory.getLong(0)).isInstanceOf(IllegalStateException.class);
    try (MappedMemory again = MemoryMapper.open(file)) {
      assertThat(again.getLong(SIZE - Long.BYTES)).isEqualTo(42);
      again.force(0, SIZE);
    }
    assertThat(isMapped(file)).isFalse();
  }

  @Test
  void closingATemporaryFileDeletesIt() throws IOException {
    Path file = directory.resolve("temporary");
    MappedMemory memory = MemoryMapper.createTemporary(file, SIZE);
    assertThat(file).hasSize(SIZE);

    memory.close();

    assertThat(isMapped(file)).isFalse();
    assertThat(file).doesNotExist();
  }

  @Test
  void anEmptyFileIsNotMapped() throws IOException {
    Path file = Files.createFile(directory.resolve("empty"));

    assertThatThrownBy(() -> MemoryMapper.open(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file + " is empty");
  }
}
