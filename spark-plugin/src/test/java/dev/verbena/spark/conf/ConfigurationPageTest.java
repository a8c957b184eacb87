// SPDX-License-Identifier: Apache-2.0
package dev.verbena.spark.conf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class ConfigurationPageTest {
  private static final Path PAGE = Path.of("..", "docs", "configuration.md");

  /** To write it anew: {@code ./mvnw test -pl spark-plugin -am -Dverbena.docs.write=true}. */
  @Test
  void thePageInTheDocsIsThatOfTheKeys() throws IOException {
    if (Boolean.getBoolean("verbena.docs.write")) {
      Files.createDirectories(PAGE.getParent());
      Files.writeString(PAGE, ConfigurationPage.markdown());
    }
    assertThat(PAGE).hasContent(ConfigurationPage.markdown());
  }

  @Test
  void everyKeyHasItsRow() {
    assertThat(ShuffleKeys.all())
        .isNotEmpty()
        .allSatisfy(
            key -> assertThat(ConfigurationPage.markdown()).contains("| `" + key.name() + "` |"));
  }
}
