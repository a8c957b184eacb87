// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.tpcds;

import dev.verbena.integration.IntegrationException;
import dev.verbena.integration.sparkhome.SparkApplication;
import dev.verbena.integration.sparkhome.SparkHome;
import dev.verbena.integration.sparkhome.SparkProcess;
import dev.verbena.integration.tpcds.QueryProtocol.Hello;
import dev.verbena.integration.tpcds.QueryProtocol.Reply;
import dev.verbena.integration.tpcds.QueryProtocol.Request;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;

/** The launcher's side of a query server: the driver's process and the connection to it. */
final class QueryServerProcess implements AutoCloseable {
  private static final int POLL_MILLIS = 200;
  private static final int TOKEN_BYTES = 16;
  private static final Duration STOP = Duration.ofSeconds(30);

  private final SparkProcess driver;
  private final ServerSocket listener;
  private final String token;
  private Socket connection;
  private BufferedReader replies;

  private QueryServerProcess(SparkProcess driver, ServerSocket listener, String token) {
    this.driver = driver;
    this.listener = listener;
    this.token = token;
  }

  /** Starts the application; it is not ready yet. */
  static QueryServerProcess start(
      SparkApplication application, SparkHome home, Path logs, Path data, int executors) {
    byte[] random = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(random);
    String token = HexFormat.of().formatHex(random);
    try {
      ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      listener.setSoTimeout(POLL_MILLIS);
      SparkProcess driver =
          application
              .environment(QueryProtocol.TOKEN_VARIABLE, token)
              .arguments(
                  Integer.toString(listener.getLocalPort()),
                  data.toString(),
                  Integer.toString(executors))
              .start(home, logs);
      return new QueryServerProcess(driver, listener, token);
    } catch (IOException e) {
      throw new IntegrationException("cannot listen on loopback", e);
    }
  }

  /** Waits until the application has its executors and knows the tables. */
  Hello awaitReady(Duration within) {
    long deadline = System.nanoTime() + within.toNanos();
    try {
      connection = accept(deadline);
      replies =
          new BufferedReader(
              new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8));
      Hello hello = Json.parse(nextLine(deadline), Hello.class);
      if (!token.equals(hello.token())) {
        throw new IntegrationException("a stranger has connected in place of " + driver.name());
      }
      return hello;
    } catch (IOException e) {
      throw failure("is not ready", e);
    }
  }

  /**
   * Runs a query.
   *
   * @throws IntegrationException if the application has ended, or gives no answer in time; it is of
   *     no further use then
   */
  Reply run(Request request, Duration within) {
    try {
      connection
          .getOutputStream()
          .write((Json.line(request) + "\n").getBytes(StandardCharsets.UTF_8));
      return Json.parse(nextLine(System.nanoTime() + within.toNanos()), Reply.class);
    } catch (IOException e) {
      throw failure("gave no answer to " + request.name(), e);
    }
  }

  Path log() {
    return driver.log();
  }

  @Override
  public void close() {
    try (SparkProcess process = driver) {
      listener.close();
      if (connection != null) {
        // Its end makes the server stop Spark, which ends the executors.
        connection.close();
        process.endsWithin(STOP);
      }
    } catch (IOException e) {
      throw failure("cannot be disconnected from", e);
    }
  }

  private Socket accept(long deadline) throws IOException {
    while (true) {
      try {
        return listener.accept();
      } catch (SocketTimeoutException e) {
        if (!driver.isAlive()) {
          throw failure("ended early", e);
        }
        if (System.nanoTime() - deadline >= 0) {
          throw failure("has not connected in time", e);
        }
      }
    }
  }

  private String nextLine(long deadline) throws IOException {
    long left = (deadline - System.nanoTime()) / 1_000_000;
    connection.setSoTimeout((int) Math.max(1, Math.min(Integer.MAX_VALUE, left)));
    String line = replies.readLine();
    if (line == null) {
      throw new IOException("the connection has ended");
    }
    return line;
  }

  private IntegrationException failure(String what, Exception cause) {
    return new IntegrationException(
        driver.name()
            + " "
            + what
            + " ("
            + cause.getMessage()
            + "); log "
            + driver.log()
            + ":\n"
            + driver.tail(),
        cause);
  }
}
