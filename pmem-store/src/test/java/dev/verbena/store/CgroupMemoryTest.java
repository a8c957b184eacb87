// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CgroupMemoryTest {
  @TempDir private Path root;

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  @Test
  void theTightestGroupOnTheWayUpCounts() throws IOException {
    write("proc/self/cgroup", "0::/pods/one\n");
    write("sys/fs/cgroup/pods/one/memory.max", "max\n");
    write("sys/fs/cgroup/pods/memory.max", "1000\n");
    write("sys/fs/cgroup/pods/memory.current", "300\n");
    assertThat(new CgroupMemory(root).left()).hasValue(700);
  }

  @Test
  void aGroupWithoutALimitIsNone() throws IOException {
    write("proc/self/cgroup", "4:memory:/one\n0::/\n");
    write("sys/fs/cgroup/memory.max", "max\n");
    write("sys/fs/cgroup/memory/one/memory.limit_in_bytes", "9223372036854771712\n");
    write("sys/fs/cgroup/memory/one/memory.usage_in_bytes", "300\n");
    assertThat(new CgroupMemory(root).left()).isEmpty();
  }

  @Test
  void versionOneIsReadWhereTheContainerSeesItsOwnGroupOnly() throws IOException {
    write("proc/self/cgroup", "5:cpu:/\n4:memory:/docker/one\n");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000\n");
    write("sys/fs/cgroup/memory/memory.usage_in_bytes", "900\n");
    write("sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 50\n");
    assertThat(new CgroupMemory(root).left()).hasValue(150);
  }

  @Test
  void fileCacheThatCanBeDroppedCountsAsLeft() throws IOException {
    write("proc/self/cgroup", "0::/\n");
    write("sys/fs/cgroup/memory.max", "1000\n");
    write("sys/fs/cgroup/memory.current", "900\n");
    write("sys/fs/cgroup/memory.stat", "anon 100\ninactive_file 800\n");
    assertThat(new CgroupMemory(root).left()).hasValue(900);
  }
}
