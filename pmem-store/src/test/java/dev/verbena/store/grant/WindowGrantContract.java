// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import static dev.verbena.store.grant.GrantWriter.deadline;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.verbena.rpc.BulkBatch;
import dev.verbena.rpc.RegisteredBuffer;
import dev.verbena.rpc.RpcException;
import org.junit.jupiter.api.Test;

/** What grants promise beyond that where a device has windows, which are of one queue pair each. */
abstract class WindowGrantContract extends GrantContract {
  WindowGrantContract(GrantPath path) {
    super(path);
  }

  @Test
  void aKeyOpensNothingOnAnotherConnection() {
    assumeTrue(
        writer.device.attributes().hasBoundedWindows(),
        "a region a grant, whose keys open on every connection");
    ClientGrant grant = writer.client.grant(GrantFixture.APPLICATION, 1, 100);
    try (GrantWriter other = fixture.connect();
        RegisteredBuffer source = other.buffers.acquire(64, deadline())) {
      BulkBatch batch = new BulkBatch(1);
      grant.write(batch, source, 0, 0, 64);
      assertThatThrownBy(() -> other.connection.bulk().transfer(batch, deadline()))
          .isInstanceOfSatisfying(RpcException.class, GrantContract::isRefused);
    }
    assertThat(fixture.server.grants().open()).isEqualTo(1);
  }
}
