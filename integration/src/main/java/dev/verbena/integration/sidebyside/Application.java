// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.sidebyside;

import dev.verbena.integration.IntegrationException;
import dev.verbena.integration.sparkhome.SparkApplication;
import dev.verbena.integration.sparkhome.SparkHome;
import dev.verbena.integration.sparkhome.SparkProcess;
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
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * An application that runs what its launcher asks for: the driver's process and the connection to
 * it.
 *
 * <p>Not thread-safe.
 */
public final class Application implements AutoCloseable {
  private static final int POLL_MILLIS = 200;
  private static final int TOKEN_BYTES = 16;
  private static final Duration STOP = Duration.ofSeconds(30);

  private final SparkProcess driver;
  private final ServerSocket listener;
  private final String token;
  private Socket connection;
  private BufferedReader lines;

  private Application(SparkProcess driver, ServerSocket listener, String token) {
    this.driver = driver;
    this.listener = listener;
    this.token = token;
  }

  static Application start(
      SparkApplication application, SparkHome home, Path logs, String... arguments) {
    byte[] random = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(random);
    String token = HexFormat.of().formatHex(random);
    try {
      ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      listener.setSoTimeout(POLL_MILLIS);
      List<String> all = new ArrayList<>();
      all.add(Integer.toString(listener.getLocalPort()));
      all.addAll(List.of(arguments));
      SparkProcess driver =
          application
              .environment(ApplicationServer.TOKEN_VARIABLE, token)
              .arguments(all.toArray(String[]::new))
              .start(home, logs);
      return new Application(driver, listener, token);
    } catch (IOException e) {
      throw new IntegrationException("cannot listen on loopback", e);
    }
  }

  /** Waits until the application has greeted. */
  public void awaitReady(Duration within) {
    long deadline = System.nanoTime() + within.toNanos();
    try {
      connection = accept(deadline);
      lines =
          new BufferedReader(
              new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8));
      Hello hello = Json.parse(nextLine(deadline), Hello.class);
      if (!token.equals(hello.token())) {
        throw new IntegrationException("a stranger has connected in place of " + driver.name());
      }
    } catch (IOException e) {
      throw failure("is not ready", e);
    }
  }

  /**
   * Has something run.
   *
   * @param name of the request, for an error message
   * @param replies what the answer is read as
   * @throws IntegrationException if the application has ended, or gives no answer in time; it is of
   *     no further use then
   */
  public <T> T ask(String name, Object request, Class<T> replies, Duration within) {
    try {
      connection
          .getOutputStream()
          .write((Json.line(request) + "\n").getBytes(StandardCharsets.UTF_8));
      return Json.parse(nextLine(System.nanoTime() + within.toNanos()), replies);
    } catch (IOException e) {
      throw failure("gave no answer to " + name, e);
    }
  }

  /** The driver's process; its executors are its descendants. */
  public SparkProcess driver() {
    return driver;
  }

  @Override
  public void close() {
    try (SparkProcess process = driver) {
      listener.close();
      if (connection != null) {
        // Its end makes the application stop Spark, which ends the executors.
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
    String line = lines.readLine();
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
