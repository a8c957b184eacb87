// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.vm;

import dev.verbena.rpc.RpcOptions;
import dev.verbena.rpc.RpcSecret;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.VerbsProvider;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** What both ends of an RPC over soft-RoCE have in common. */
final class SoakEnds {
  private static final long BUFFER_BYTES = 8L << 20;
  private static final int CONNECTIONS = 16;
  private static final Duration HANDSHAKE = Duration.ofSeconds(60);

  private SoakEnds() {}

  /** Opens one of the kernel's devices. */
  static Device open(String device) {
    return VerbsProvider.openDevice("rdmacore:" + device, DeviceOptions.defaults());
  }

  /** Few buffers, so that what is not given back is missed, and time for slow handshakes. */
  static RpcOptions options() {
    return RpcOptions.of(RpcSecret.of("known to both ends".getBytes(StandardCharsets.UTF_8)))
        .withMessages(SoakCall.LONGEST, BUFFER_BYTES)
        .withConnections(CONNECTIONS, CONNECTIONS, HANDSHAKE);
  }
}
