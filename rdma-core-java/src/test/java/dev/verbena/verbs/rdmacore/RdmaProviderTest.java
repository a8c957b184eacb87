// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.VerbsProvider;
import org.junit.jupiter.api.Test;

/** The provider, on machines with and without a device. */
final class RdmaProviderTest {
  private final RdmaProvider provider = new RdmaProvider();

  @Test
  void itIsFoundByItsName() {
    assertThat(VerbsProvider.names()).contains("rdmacore");
  }

  @Test
  void withoutADeviceOneMessageSaysWhatIsMissing() {
    String cause = provider.unavailabilityCause().orElse("");
    assumeTrue(!cause.isEmpty(), "there is a device");
    assertThat(cause).doesNotContain("\n").isNotBlank();
    assertThatThrownBy(() -> VerbsProvider.openDevice("rdmacore:rxe0", DeviceOptions.defaults()))
        .isInstanceOf(VerbsException.class)
        .hasMessageContaining(cause)
        .extracting(e -> ((VerbsException) e).code())
        .isEqualTo(VerbsException.Code.UNAVAILABLE);
  }
}
