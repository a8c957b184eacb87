// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunDirectoryTest {
  @TempDir private Path parent;

  @Test
  void bothFoldersAreRemovedOnClose() throws IOException {
    RunDirectory run = RunDirectory.create(parent, "test");
    Files.createDirectories(run.memory().resolve("a/b"));
    Files.writeString(run.memory().resolve("a/b/c"), "x");
    Files.createSymbolicLink(run.disk().resolve("link"), parent);
    run.close();
    assertThat(run.disk()).doesNotExist();
    assertThat(run.memory()).doesNotExist();
    assertThat(parent).exists();
  }

  @Test
  void theDiskFolderIsKeptOnRequest() {
    RunDirectory run = RunDirectory.create(parent, "test");
    run.keep();
    run.close();
    assertThat(run.disk()).exists();
    assertThat(run.memory()).doesNotExist();
  }

  @Test
  void whatADeadRunLeftInMemoryIsRemovedByTheNext() throws IOException {
    Path abandoned = Files.createTempDirectory(Path.of("/dev/shm"), "verbena-run-0-");
    Files.createFile(abandoned.resolve("run.lock"));
    RunDirectory.create(parent, "test").close();
    assertThat(abandoned).doesNotExist();
  }

  @Test
  void aLiveRunIsLeftAlone() {
    try (RunDirectory live = RunDirectory.create(parent, "test")) {
      RunDirectory.create(parent, "test").close();
      assertThat(live.memory()).exists();
      assertThat(live.disk()).exists();
    }
  }
}
