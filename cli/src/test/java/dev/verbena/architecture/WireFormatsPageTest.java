// SPDX-License-Identifier: Apache-2.0
package dev.verbena.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WireFormatsPageTest {
  private static final Path ROOT = Path.of("..");
  private static final Path PAGE = ROOT.resolve("docs/wire-formats.md");
  private static final List<Path> SOURCES =
      List.of(
          ROOT.resolve("rdma-core-java/src/main/java"), ROOT.resolve("pmem-store/src/main/java"));

  /** To write it anew: {@code ./mvnw test -pl cli -am -Dverbena.docs.write=true}. */
  @Test
  void thePageInTheDocsIsThatOfTheDescriptorClasses() throws IOException {
    String page = WireFormatsPage.markdown(SOURCES);
    if (Boolean.getBoolean("verbena.docs.write")) {
      Files.writeString(PAGE, page);
    }
    assertThat(PAGE).hasContent(page);
  }

  /** A class of offsets without a picture would not be on the page. */
  @Test
  void everyDescriptorClassHasAPicture() throws IOException {
    List<String> pictured =
        WireFormatsPage.layouts(SOURCES).stream().map(layout -> layout.name() + ".java").toList();
    for (Path folder : SOURCES) {
      try (var files = Files.walk(folder)) {
        assertThat(files.map(file -> file.getFileName().toString()))
            .filteredOn(name -> name.endsWith("Layout.java"))
            .isNotEmpty()
            .allMatch(pictured::contains);
      }
    }
  }
}
