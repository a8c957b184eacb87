// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.vm;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.store.grant.Durability;
import dev.verbena.store.grant.RemoteLog;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.store.serve.RemoteWriters;
import dev.verbena.store.serve.StoreServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Appends durable entries over verbs until the power goes off, and acknowledges each to the host
 * before the next begins. Arguments: a directory in a DAX file system, the port of the
 * acknowledgements, the seed.
 */
final class PowerCutLoad {
  private PowerCutLoad() {}

  /** Runs until it is ended, or its pools are full, which is a failure. */
  public static void main(String[] arguments) throws IOException {
    DurableAppends appends =
        new DurableAppends(Path.of(arguments[0]), Long.parseLong(arguments[2]));
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (OutputStream host =
            Files.newOutputStream(Path.of(arguments[1]), StandardOpenOption.WRITE);
        LocalBlockStore store = LocalBlockStore.open(appends.store());
        StoreServer server = StoreServer.open(store, "power-cuts", any, DurableAppends.serving());
        RemoteWriters writers = RemoteWriters.open(DurableAppends.serving());
        RemoteLog log =
            writers.openLog(server.endpoint(), DurableAppends.APPLICATION, DurableAppends.LOG)) {
      for (long number = 0; ; number++) {
        byte[] entry = appends.entry(number);
        Durability durability = log.append(entry, 0, entry.length);
        if (durability.domain() != DurabilityDomain.POWER) {
          throw new IllegalStateException("entry " + number + " is " + durability);
        }
        host.write((number + "\n").getBytes(StandardCharsets.US_ASCII));
        host.flush();
      }
    }
  }
}
