// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class PathTemplateTest {
  @Test
  void namesAreFilledInAndCanNotLeaveTheirPlace() {
    PathTemplate template = new PathTemplate("/dev/shm/v-{app}-{executor}");

    assertThat(template.expand("app-1", "2").toString()).isEqualTo("/dev/shm/v-app-1-2");
    assertThat(template.expand("../etc $1", "a/b")).isEqualTo(Path.of("/dev/shm/v-.._etc__1-a_b"));
  }

  @Test
  void anUnknownPlaceIsAnErrorThatNamesTheKnownOnes() {
    assertThatThrownBy(() -> new PathTemplate("/x/{host}"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("unknown {host}, expected {app} or {executor}");
  }
}
