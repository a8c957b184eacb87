// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.vm;

import dev.verbena.rpc.RpcClient;
import dev.verbena.rpc.RpcConnection;
import dev.verbena.testing.Await;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.ProtectionDomain;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Connects, calls, disconnects and connects again; each answer is checked. Arguments: the device,
 * the server's address and port, the seed of the calls, how often to connect, how many calls each
 * time. Prints a line a connection, with its carrier and how many of its calls were answered.
 */
final class RpcSoakClient {
  /** Calls that are open at one time. */
  private static final int AT_ONCE = 4;

  private RpcSoakClient() {}

  /** Runs to its end, or until it is killed; a wrong answer ends it with an error. */
  public static void main(String[] arguments) {
    InetSocketAddress server = new InetSocketAddress(arguments[1], Integer.parseInt(arguments[2]));
    long number = Long.parseLong(arguments[3]);
    int rounds = Integer.parseInt(arguments[4]);
    int calls = Integer.parseInt(arguments[5]);
    try (Device device = SoakEnds.open(arguments[0]);
        ProtectionDomain domain = device.createProtectionDomain();
        RpcClient client = RpcClient.open(device, domain, SoakEnds.options())) {
      for (int round = 0; round < rounds; round++) {
        try (RpcConnection connection = client.connect(server, soon())) {
          for (int done = 0; done < calls; done += AT_ONCE) {
            callSome(connection, number);
            number += AT_ONCE;
          }
          System.out.println(connection.carrier() + " " + calls);
        }
      }
    }
  }

  private static void callSome(RpcConnection connection, long first) {
    List<CompletableFuture<ByteBuffer>> open = new ArrayList<>();
    for (long number = first; number < first + AT_ONCE - 1; number++) {
      open.add(connection.callAsync(SoakCall.METHOD, new SoakCall(number).request(), soon()));
    }
    // The last one by a thread that waits, since that one polls for itself.
    SoakCall last = new SoakCall(first + AT_ONCE - 1);
    check(last, connection.call(SoakCall.METHOD, last.request(), soon()));
    for (int i = 0; i < open.size(); i++) {
      check(new SoakCall(first + i), Await.result("answer " + (first + i), open.get(i)));
    }
  }

  private static void check(SoakCall call, ByteBuffer answer) {
    if (!call.answer().equals(answer)) {
      throw new AssertionError(
          call
              + ": answer of "
              + answer.remaining()
              + " bytes differs at byte "
              + call.answer().mismatch(answer));
    }
  }

  private static Deadline soon() {
    return Deadline.after(Await.PATIENCE);
  }
}
