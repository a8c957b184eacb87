// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.verbs.Device;
import dev.verbena.verbs.ProtectionDomain;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A server in a JVM of its own; prints its port, and ends in good order at the end of its input.
 */
final class ServerProcess {
  /** Never answers; says "called" on the standard output. */
  static final int SILENT = 40;

  private ServerProcess() {}

  public static void main(String[] args) throws IOException {
    Carrier carrier = Carrier.valueOf(args[0]);
    RpcMethods methods = RpcFixture.echo().addInline(SILENT, call -> say("called"));
    try (Device device = carrier.open(Path.of(args[1]));
        ProtectionDomain domain = device.createProtectionDomain();
        RpcServer server =
            RpcServer.start(device, domain, RpcFixture.anyPort(), RpcFixture.options(), methods)) {
      say(Integer.toString(server.address().getPort()));
      BufferedReader input =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      String line = input.readLine();
      say("closing after " + line);
    }
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
