// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import dev.verbena.store.StoreException;
import dev.verbena.time.Deadline;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The socket that an agent is found by: a thread takes connections, another each serves one. */
final class AgentSocket implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AgentSocket.class);
  private static final int MOST_CONNECTIONS = 4096;
  private static final int BACKLOG = 1024;
  private static final Duration JOIN = Duration.ofSeconds(5);
  private static final long REFUSED_PAUSE_NANOS = 100_000_000;

  private final AgentOptions options;
  private final StoreAgent agent;
  private final ServerSocketChannel listener;
  private final Thread acceptor = new Thread(this::accept, "verbena-agent-socket");
  private final Set<AgentConnection> connections = ConcurrentHashMap.newKeySet();

  private AgentSocket(AgentOptions options, StoreAgent agent, ServerSocketChannel listener) {
    this.options = options;
    this.agent = agent;
    this.listener = listener;
    acceptor.setDaemon(true);
  }

  /**
   * Listens; takes the place of an agent that died.
   *
   * @throws StoreException POOL_OWNED if an agent listens there, IO
   */
  static AgentSocket open(AgentOptions options, StoreAgent agent) {
    Path path = options.socket().toAbsolutePath();
    try {
      Files.createDirectories(path.getParent());
      AgentPlace.requireOwn(path.getParent());
      removeDead(path);
      ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      boolean done = false;
      try {
        listener.bind(UnixDomainSocketAddress.of(path), BACKLOG);
        Files.setPosixFilePermissions(path, options.access().permissions());
        AgentSocket socket = new AgentSocket(options, agent, listener);
        socket.acceptor.start();
        done = true;
        return socket;
      } finally {
        if (!done) {
          listener.close();
        }
      }
    } catch (IOException e) {
      throw new StoreException(
          StoreException.Code.IO, "socket " + path + " can't be listened at: " + e.getMessage(), e);
    }
  }

  private static void removeDead(Path path) throws IOException {
    if (!Files.exists(path)) {
      return;
    }
    if (answers(path)) {
      throw new StoreException(
          StoreException.Code.POOL_OWNED, "an agent listens at " + path + " already");
    }
    LOG.info("taking the place of an agent that died at {}", path);
    Files.delete(path);
  }

  private static boolean answers(Path path) {
    try {
      AgentChannel.connect(path).close();
      return true;
    } catch (IOException e) {
      LOG.debug("nobody listens at {}", path, e);
      return false;
    }
  }

  private void accept() {
    while (listener.isOpen()) {
      try {
        SocketChannel channel = listener.accept();
        if (connections.size() >= MOST_CONNECTIONS) {
          LOG.warn("more than {} connections at {}", MOST_CONNECTIONS, options.socket());
          channel.close();
        } else {
          serve(new AgentConnection(channel, options, agent));
        }
      } catch (ClosedChannelException e) {
        return; // It was closed.
      } catch (IOException e) {
        LOG.warn("a connection at {} could not be taken", options.socket(), e);
        LockSupport.parkNanos(REFUSED_PAUSE_NANOS); // For want of descriptors, say.
      }
    }
  }

  private void serve(AgentConnection connection) {
    connections.add(connection);
    Thread thread =
        new Thread(
            () -> {
              try {
                connection.run();
              } finally {
                connections.remove(connection);
              }
            },
            "verbena-agent-connection");
    thread.setDaemon(true);
    thread.start();
  }

  /** Ends the connections, and with them what they held. */
  @Override
  public void close() throws IOException {
    try {
      Files.deleteIfExists(options.socket());
    } finally {
      listener.close();
      connections.forEach(AgentConnection::close);
      awaitAcceptor(Deadline.after(JOIN));
    }
  }

  private void awaitAcceptor(Deadline deadline) {
    try {
      acceptor.join(Math.max(1, deadline.remainingMillis()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    connections.forEach(AgentConnection::close);
  }
}
