// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.store.StoreException;
import org.junit.jupiter.api.Test;

class BareGrantTest extends GrantContract {
  BareGrantTest() {
    super(GrantPath.BARE);
  }

  @Test
  void moreThanTheDeviceCanDoIsRefused() {
    try (GrantFixture fixture =
            new GrantFixture(
                BareProvider.NAME, false, DurabilityDomain.POWER, GrantOptions.defaults());
        GrantWriter writer = fixture.connect()) {
      long before = fixture.used();

      assertThatThrownBy(() -> writer.write(1, 1, 100))
          .isInstanceOfSatisfying(
              StoreException.class,
              e -> assertThat(e.code()).isEqualTo(StoreException.Code.DURABILITY_UNAVAILABLE));
      assertThat(fixture.used()).isEqualTo(before);
    }
  }
}
