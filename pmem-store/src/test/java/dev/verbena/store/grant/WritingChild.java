// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.rpc.RpcException;
import dev.verbena.testing.Await;
import dev.verbena.testing.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Executors;

/** A writer in a JVM of its own, which can be stopped and killed. */
final class WritingChild implements AutoCloseable {
  private static final int HAMMER_BYTES = 48 << 10;

  private final ChildJvm jvm;
  private final String pid;

  WritingChild(Path directory, boolean tcpOnly, InetSocketAddress store) {
    jvm =
        ChildJvm.start(
            WritingChild.class,
            directory.toString(),
            String.valueOf(tcpOnly),
            String.valueOf(store.getPort()));
    pid = jvm.nextLine();
  }

  /** Asks for space and returns what it calls its first byte. */
  long grant() {
    jvm.tell("grant");
    return Long.parseLong(jvm.nextLine());
  }

  /** Lets it WRITE into its grant over and over, whatever its lease says. */
  void startHammering() {
    jvm.tell("hammer");
    assertSays("hammering");
  }

  /** What ended the hammering. */
  RpcException.Code hammeringEndedBy() {
    return RpcException.Code.valueOf(jvm.nextLine());
  }

  /** Has an output appended to, published or not, and not committed. */
  void append(int output, int blockLength, boolean publish) {
    jvm.tell("append " + output + " " + blockLength + " " + publish);
    assertSays("appended");
  }

  void write(int output, int blockLength) {
    jvm.tell("write " + output + " " + blockLength);
    assertSays("written");
  }

  void stop() {
    signal("-STOP");
  }

  void resume() {
    signal("-CONT");
  }

  void kill() {
    jvm.kill();
  }

  private void signal(String which) {
    try {
      Process process = new ProcessBuilder("kill", which, pid).inheritIO().start();
      Await.until("kill " + which, () -> !process.isAlive());
    } catch (IOException e) {
      throw new AssertionError("kill " + which + " " + pid, e);
    }
  }

  private void assertSays(String expected) {
    String line = jvm.nextLine();
    if (!line.equals(expected)) {
      throw new AssertionError(line + ", expected " + expected + "\n" + jvm.errors());
    }
  }

  @Override
  public void close() {
    jvm.close();
  }

  public static void main(String[] arguments) throws IOException {
    System.out.println(ProcessHandle.current().pid());
    GrantWriter writer =
        new GrantWriter(
            GrantFixture.serveOptions(Path.of(arguments[0]), Boolean.parseBoolean(arguments[1])),
            new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[2])),
            Executors.newSingleThreadScheduledExecutor());
    ClientGrant grant = null;
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ", -1);
      switch (words[0]) {
        case "grant" -> {
          grant = writer.client.grant(GrantFixture.APPLICATION, 1, HAMMER_BYTES);
          System.out.println(grant.terms().recordAddress());
        }
        case "hammer" -> {
          System.out.println("hammering");
          System.out.println(hammer(writer, grant));
        }
        case "append" -> {
          RemoteMapOutputWriter output =
              writer.client.openMapOutput(GrantFixture.key(Integer.parseInt(words[1])), 1);
          GrantWriter.append(output, Integer.parseInt(words[1]), 1, Integer.parseInt(words[2]));
          if (Boolean.parseBoolean(words[3])) {
            output.startRound();
          }
          System.out.println("appended");
        }
        case "write" -> {
          writer.write(Integer.parseInt(words[1]), 1, Integer.parseInt(words[2]));
          System.out.println("written");
        }
        default -> throw new IllegalArgumentException(line);
      }
    }
  }

  private static RpcException.Code hammer(GrantWriter writer, ClientGrant grant) {
    Optional<RpcException.Code> end;
    do {
      end = writer.writeAnyway(grant, 0, HAMMER_BYTES);
    } while (end.isEmpty());
    return end.get();
  }
}
