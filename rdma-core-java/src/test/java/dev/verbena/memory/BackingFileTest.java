// SPDX-License-Identifier: Apache-2.0
package dev.verbena.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.ChildJvm;
import dev.verbena.testing.Descriptors;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackingFileTest {
  private static final int DESCRIPTORS = 150;

  @Test
  void aTruncatedFileIsNotTakenForAnUnlinkedOneWhereNoDescriptorIsFree(@TempDir Path directory) {
    Path file = directory.resolve("mapped");
    try (ChildJvm child =
        ChildJvm.startLimited(DESCRIPTORS, WithoutDescriptors.class, file.toString())) {
      assertThat(child.nextLine()).isEqualTo("none is left, truncated: false");
      assertThat(child.nextLine()).isEqualTo("truncated: true");
      assertThat(child.nextLine()).isEqualTo("some are free, truncated: true");
    }
  }

  /** Maps a file and truncates it while no descriptor is free. */
  static final class WithoutDescriptors {
    private WithoutDescriptors() {}

    public static void main(String[] arguments) throws IOException {
      LateFault.collect(); // Its class is not found any more without a descriptor.
      Descriptors descriptors = new Descriptors();
      try (MappedMemory memory = MemoryMapper.create(Path.of(arguments[0]), 8192);
          RandomAccessFile file = new RandomAccessFile(arguments[0], "rw")) {
        descriptors.useUp();
        System.out.println("none is left, truncated: " + memory.isTruncated());
        file.setLength(4096);
        System.out.println("truncated: " + memory.isTruncated());
        descriptors.free();
        System.out.println("some are free, truncated: " + memory.isTruncated());
      }
    }
  }
}
