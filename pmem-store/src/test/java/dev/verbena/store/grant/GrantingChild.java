// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.memory.DurabilityDomain;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.store.serve.StoreServer;
import dev.verbena.testing.ChildJvm;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** A store with kept pools that is served by a JVM of its own until that is killed. */
final class GrantingChild implements AutoCloseable {
  private final ChildJvm jvm;
  private final InetSocketAddress address;

  GrantingChild(Path directory, boolean tcpOnly, DurabilityDomain domain) {
    jvm =
        ChildJvm.start(
            GrantingChild.class, directory.toString(), String.valueOf(tcpOnly), domain.name());
    address = new InetSocketAddress("127.0.0.1", Integer.parseInt(jvm.nextLine()));
  }

  InetSocketAddress address() {
    return address;
  }

  void kill() {
    jvm.kill();
  }

  @Override
  public void close() {
    jvm.close();
  }

  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    LocalBlockStore store =
        LocalBlockStore.open(
            GrantFixture.storeOptions(directory, DurabilityDomain.valueOf(arguments[2])));
    StoreServer server =
        StoreServer.open(
            store,
            "granting",
            new InetSocketAddress("127.0.0.1", 0),
            GrantFixture.serveOptions(directory, Boolean.parseBoolean(arguments[1])));
    System.out.println(server.endpoint().addresses().get(0).getPort());
    while (System.in.read() >= 0) {
      // Nothing is asked of it but to be there.
    }
  }
}
