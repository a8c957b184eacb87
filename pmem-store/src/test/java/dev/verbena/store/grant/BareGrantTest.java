// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.memory.DurabilityMethod;
import org.junit.jupiter.api.Test;

class BareGrantTest extends GrantContract {
  BareGrantTest() {
    super(GrantPath.BARE);
  }

  @Test
  void withoutFlushTheStoreMakesDurableWhatNoReadWould() {
    // The pool is a file, whose pages no READ takes to the disk, whatever is said of the machine.
    GrantOptions options = GrantOptions.defaults().withReadAfterWrite(true);
    try (GrantFixture fixture =
            new GrantFixture(LessProvider.SoftBare.NAME, false, DurabilityDomain.POWER, options);
        GrantWriter writer = fixture.connect()) {
      try (RemoteMapOutputWriter output = writer.client.openMapOutput(GrantFixture.key(1), 1)) {
        output.append(0, GrantFixture.block(1, 0, 100), 0, 100);
        output.commit(new long[0]);

        assertThat(output.durability())
            .contains(new Durability(DurabilityDomain.POWER, DurabilityMethod.REMOTE_PERSIST));
      }
      assertThat(fixture.read(1, 0)).isEqualTo(GrantFixture.block(1, 0, 100));
    }
  }
}
