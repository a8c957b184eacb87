// SPDX-License-Identifier: Apache-2.0
package dev.verbena.cli.agent;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.verbena.store.agent.AgentStatus;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * Tells of an agent over HTTP: {@code /health}, {@code /metrics} in Prometheus' text format, {@code
 * /} for people. It can only be read from.
 */
final class StatusServer implements AutoCloseable {
  private static final int THREADS = 2;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int NOT_ALLOWED = 405;
  private static final int UNAVAILABLE = 503;
  private static final String TEXT = "text/plain; charset=utf-8";

  private final HttpServer server;
  private final Supplier<AgentStatus> status;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          THREADS,
          task -> {
            Thread thread = new Thread(task, "verbena-agent-http");
            thread.setDaemon(true);
            return thread;
          });

  private record Answer(int code, String type, String body) {}

  private StatusServer(HttpServer server, Supplier<AgentStatus> status) {
    this.server = server;
    this.status = status;
  }

  /** Listens at {@code address}; port 0 chooses one. */
  static StatusServer start(InetSocketAddress address, Supplier<AgentStatus> status)
      throws IOException {
    HttpServer server;
    try {
      server = HttpServer.create(address, 0);
    } catch (IOException e) {
      throw new IOException("http at " + address + ": " + e.getMessage(), e);
    }
    StatusServer made = new StatusServer(server, status);
    server.createContext("/", made::handle);
    server.setExecutor(made.threads);
    server.start();
    return made;
  }

  /** Where it is. */
  String url() {
    InetSocketAddress address = server.getAddress();
    String host = address.getAddress().getHostAddress();
    return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Answer answer = answer(exchange);
      byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
      Map<String, String> headers =
          Map.of(
              "Content-Type", answer.type(),
              "Cache-Control", "no-store",
              "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'",
              "X-Content-Type-Options", "nosniff");
      headers.forEach(exchange.getResponseHeaders()::set);
      boolean head = exchange.getRequestMethod().equals("HEAD");
      exchange.sendResponseHeaders(answer.code(), head ? -1 : body.length);
      if (!head) {
        try (OutputStream out = exchange.getResponseBody()) {
          out.write(body);
        }
      }
    }
  }

  private Answer answer(HttpExchange exchange) {
    if (!exchange.getRequestMethod().matches("GET|HEAD")) {
      return new Answer(NOT_ALLOWED, TEXT, "read only\n");
    }
    AgentStatus now = status.get();
    return switch (exchange.getRequestURI().getPath()) {
      case "/health" ->
          now.draining()
              ? new Answer(UNAVAILABLE, TEXT, "draining\n")
              : new Answer(OK, TEXT, "ok\n");
      case "/metrics" -> new Answer(OK, Metrics.TYPE, Metrics.of(now));
      case "/" -> new Answer(OK, "text/html; charset=utf-8", StatusPage.of(now));
      default -> new Answer(NOT_FOUND, TEXT, "there are /, /health and /metrics\n");
    };
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
