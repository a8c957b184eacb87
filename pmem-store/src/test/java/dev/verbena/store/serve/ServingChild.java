// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.rpc.RpcSecret;
import dev.verbena.store.MapOutputKey;
import dev.verbena.store.MapOutputWriter;
import dev.verbena.store.StoreOptions;
import dev.verbena.store.TierOptions;
import dev.verbena.store.local.LocalBlockStore;
import dev.verbena.testing.ChildJvm;
import dev.verbena.testing.Pattern;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A store served by a JVM of its own, which does what it is told line by line. The block of output
 * n, partition p is the pattern of {@link #seed}.
 */
final class ServingChild implements AutoCloseable {
  static final String APPLICATION = "app-serve";
  static final int SHUFFLE = 5;
  static final byte[] SECRET = "a secret of many bytes".getBytes(StandardCharsets.UTF_8);

  private static final long MIB = 1 << 20;

  private final ChildJvm jvm;
  private final StoreEndpoint endpoint;

  private ServingChild(ChildJvm jvm, StoreEndpoint endpoint) {
    this.jvm = jvm;
    this.endpoint = endpoint;
  }

  static ServingChild start(Path directory, boolean tcpOnly) {
    ChildJvm jvm =
        ChildJvm.start(ServingChild.class, directory.toString(), String.valueOf(tcpOnly));
    boolean started = false;
    try {
      String[] words = jvm.nextLine().split(" ", -1);
      started = true;
      return new ServingChild(
          jvm,
          new StoreEndpoint(
              "child",
              List.of(new InetSocketAddress("127.0.0.1", Integer.parseInt(words[0]))),
              Long.parseLong(words[1]),
              StoreServer.WIRE_VERSION));
    } finally {
      if (!started) {
        jvm.close();
      }
    }
  }

  StoreEndpoint endpoint() {
    return endpoint;
  }

  /** Has outputs {@code from} to before {@code to} written, each of blocks of those lengths. */
  void write(int from, int to, int partitions, int blockLength) {
    ask("write " + from + " " + to + " " + partitions + " " + blockLength);
  }

  void removeAll() {
    ask("remove");
  }

  /** Lets outputs 0 to 19 come and go until {@link #endChurn}. */
  void startChurn(int blockLength) {
    ask("churn " + blockLength);
  }

  void endChurn() {
    ask("calm");
  }

  void closeServer() {
    ask("close");
  }

  void kill() {
    jvm.kill();
  }

  private void ask(String line) {
    jvm.tell(line);
    String answer = jvm.nextLine();
    if (!answer.equals("done")) {
      throw new AssertionError(line + ": " + answer + "\n" + jvm.errors());
    }
  }

  @Override
  public void close() {
    jvm.close();
  }

  static MapOutputKey key(int output) {
    return new MapOutputKey(APPLICATION, SHUFFLE, output);
  }

  static long seed(long output, int partition) {
    return output * 1_000 + partition;
  }

  static byte[] block(long output, int partition, int length) {
    return new Pattern(seed(output, partition)).bytes(0, length);
  }

  static void write(LocalBlockStore store, int from, int to, int partitions, int blockLength) {
    int step = (int) MIB;
    for (int output = from; output < to; output++) {
      try (MapOutputWriter writer = store.openMapOutput(key(output), partitions)) {
        for (int p = 0; p < partitions; p++) {
          Pattern pattern = new Pattern(seed(output, p));
          for (int done = 0; done < blockLength; done += step) {
            int run = Math.min(step, blockLength - done);
            writer.append(p, pattern.bytes(done, run), 0, run);
          }
        }
        writer.commit(new long[0]);
      }
    }
  }

  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    ServeOptions options =
        ServeOptions.of(RpcSecret.of(SECRET))
            .withProvider("soft", directory)
            .withTcpOnly(Boolean.parseBoolean(arguments[1]));
    TierOptions tier = TierOptions.memory(directory.resolve("child"), 8 * MIB, 256 * MIB);
    LocalBlockStore store = LocalBlockStore.open(StoreOptions.of(tier));
    StoreServer server =
        StoreServer.open(store, "child", new InetSocketAddress("127.0.0.1", 0), options);
    StoreEndpoint endpoint = server.endpoint();
    System.out.println(endpoint.addresses().get(0).getPort() + " " + endpoint.incarnation());
    Churn churn = new Churn();
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ", -1);
      switch (words[0]) {
        case "write" ->
            write(
                store,
                Integer.parseInt(words[1]),
                Integer.parseInt(words[2]),
                Integer.parseInt(words[3]),
                Integer.parseInt(words[4]));
        case "churn" -> churn.start(store, Integer.parseInt(words[1]));
        case "calm" -> churn.end();
        case "remove" -> store.removeShuffle(APPLICATION, SHUFFLE);
        case "close" -> server.close();
        default -> throw new IllegalArgumentException(line);
      }
      System.out.println("done");
    }
    server.close();
    store.close();
  }

  /** A thread that writes outputs and removes them again. */
  private static final class Churn {
    private final AtomicBoolean going = new AtomicBoolean(true);
    private Thread thread;

    void start(LocalBlockStore store, int blockLength) {
      thread =
          new Thread(
              () -> {
                Random random = new Random(1);
                while (going.get()) {
                  int output = random.nextInt(20);
                  if (!store.removeMapOutput(key(output))) {
                    ServingChild.write(store, output, output + 1, 2, blockLength);
                  }
                }
              });
      thread.start();
    }

    void end() {
      going.set(false);
      try {
        thread.join(20_000);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
