// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;
import dev.verbena.store.serve.StoreEndpoint;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.Listener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The far end of {@code bench verbs} and {@code bench persist}: does what the lines on its input
 * say, until they end.
 *
 * <pre>
 *   verbs NAME DIRECTORY POLICY WAITING BYTES   opens a device, prints its port, accepts
 *   words NAME FILE                             maps the file
 *   socket NAME                                 prints its port, accepts
 *   store NAME SETTING LONGEST                  serves a store, prints its port and incarnation and
 *                                               the port of the conventional path, accepts
 *   times NAME                                  prints what parts of appends took so far
 *   trim NAME                                   empties the store's logs, prints how many there were
 *   answer NAME FIRST COUNT                     prints ready, answers, prints bytes allocated
 * </pre>
 */
final class FarMain {
  static final String VERBS = "verbs";
  static final String WORDS = "words";
  static final String SOCKET = "socket";
  static final String STORE = "store";
  static final String TRIM = "trim";
  static final String TIMES = "times";
  static final String ANSWER = "answer";

  private final Map<String, Echo> echoes = new HashMap<>();

  private FarMain() {}

  /** Runs commands. */
  public static void main(String[] arguments) throws IOException {
    FarMain self = new FarMain();
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      self.run(line.split(" ", -1));
    }
    self.echoes.values().forEach(Echo::close);
  }

  private void run(String[] words) throws IOException {
    String name = words[1];
    switch (words[0]) {
      case VERBS -> openVerbs(name, words);
      case WORDS -> {
        echoes.put(name, SharedWordEcho.open(Path.of(words[2])));
        say("ready");
      }
      case SOCKET -> openSocket(name);
      case STORE -> openStore(name, words);
      case TRIM -> say(((AppendServer) echoes.get(name)).trim());
      case TIMES -> say(((AppendServer) echoes.get(name)).times().toString());
      case ANSWER -> answer(echoes.get(name), Long.parseLong(words[2]), words[3]);
      default -> throw new IntegrationException("no command " + words[0]);
    }
  }

  private void openVerbs(String name, String[] words) {
    VerbsEnd end =
        new VerbsEnd(Path.of(words[2]), CarrierPolicy.valueOf(words[3]), Long.parseLong(words[5]));
    echoes.put(name, new VerbsEcho(end, VerbsEcho.Waiting.valueOf(words[4])));
    try (Listener listener = end.listen(anyPort())) {
      say(String.valueOf(listener.address().getPort()));
      end.accept(listener);
    }
    say(end.carrier());
  }

  private void openSocket(String name) throws IOException {
    try (ServerSocketChannel listener = ServerSocketChannel.open().bind(anyPort())) {
      say(String.valueOf(((InetSocketAddress) listener.getLocalAddress()).getPort()));
      echoes.put(name, SocketEcho.accept(listener));
    }
    say("ready");
  }

  private void openStore(String name, String[] words) {
    AppendServer server =
        new AppendServer(AppendSetting.of(words, 2), Integer.parseInt(words[words.length - 1]));
    echoes.put(name, server);
    StoreEndpoint store = server.endpoint();
    try (Listener listener = server.end().listen(anyPort())) {
      say(
          store.addresses().get(0).getPort()
              + " "
              + Long.toUnsignedString(store.incarnation())
              + " "
              + listener.address().getPort());
      server.end().accept(listener);
    }
    say(server.end().carrier());
  }

  private static void answer(Echo echo, long first, String count) {
    long last = first + Integer.parseInt(count);
    say("ready");
    long before = Allocation.ofThisThread();
    for (long number = first; number < last; number++) {
      echo.answer(number);
    }
    say(String.valueOf(Allocation.ofThisThread() - before));
  }

  private static InetSocketAddress anyPort() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
