// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.agent;

import dev.verbena.rpc.RpcSecret;
import dev.verbena.store.StoreException;
import dev.verbena.store.serve.ServeOptions;
import dev.verbena.store.serve.StoreEndpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * A process's attachment to the agent of its node, which holds the application there until it is
 * closed or the process ends. Blocks are then written to {@link #store} by {@code
 * serve.RemoteWriters}, and read by {@code serve.StoreClient}, from this node or others; they stay
 * when this process ends. Thread-safe.
 */
public final class AgentAttachment implements AutoCloseable {
  private static final int STORE_FIELDS = 6;

  private final AgentClient client;
  private final AgentChannel channel;
  private final StoreEndpoint store;
  private final ServeOptions options;

  private AgentAttachment(
      AgentClient client, AgentChannel channel, StoreEndpoint store, ServeOptions options) {
    this.client = client;
    this.channel = channel;
    this.store = store;
    this.options = options;
  }

  /**
   * Attaches.
   *
   * @param application its id; who comes first with it decides on the secret
   * @param secret what those who may read and write its blocks know; at least {@link
   *     RpcSecret#MIN_LENGTH} bytes
   * @throws StoreException DISCONNECTED if there is no agent, REJECTED by token or secret, CLOSED
   *     if it is about to end, INVALID_ARGUMENT
   */
  public static AgentAttachment attach(AgentClient client, String application, byte[] secret) {
    AgentChannel channel = null;
    boolean done = false;
    try {
      channel = AgentChannel.connect(client.socket());
      AgentFrame reply =
          client.ask(
              channel, AgentFrame.Kind.ATTACH, application, HexFormat.of().formatHex(secret));
      ServeOptions options =
          ServeOptions.of(RpcSecret.of(secret))
              .withProvider(reply.field(3), Path.of(reply.field(4)))
              .withTcpOnly(Boolean.parseBoolean(reply.field(5)));
      AgentAttachment attachment = new AgentAttachment(client, channel, endpoint(reply), options);
      done = true;
      return attachment;
    } catch (IOException e) {
      throw client.unreachable(e);
    } finally {
      if (!done && channel != null) {
        close(channel);
      }
    }
  }

  private static StoreEndpoint endpoint(AgentFrame reply) throws AgentProtocolException {
    List<InetSocketAddress> addresses = new ArrayList<>();
    try {
      for (int i = STORE_FIELDS; i < reply.fields().size(); i += 2) {
        addresses.add(
            new InetSocketAddress(
                InetAddress.getByName(reply.field(i)), Integer.parseInt(reply.field(i + 1))));
      }
      return new StoreEndpoint(
          reply.field(0),
          addresses,
          Long.parseUnsignedLong(reply.field(1), 16),
          Integer.parseInt(reply.field(2)));
    } catch (UnknownHostException | IllegalArgumentException e) {
      AgentProtocolException malformed = new AgentProtocolException("endpoint is " + reply);
      malformed.initCause(e);
      throw malformed;
    }
  }

  /** Where the agent serves its store to this application; plain values, to be told to others. */
  public StoreEndpoint store() {
    return store;
  }

  /** How to reach it: the agent's kind of device, the application's secret. */
  public ServeOptions options() {
    return options;
  }

  /**
   * Whether the agent still holds the application for this process. If not, it ended, and what was
   * in pools that it keeps can be had again by attaching anew.
   */
  public synchronized boolean isHeld() {
    return channel.isConnected();
  }

  /**
   * Ends the application at this agent, for all of its processes: its blocks are gone.
   *
   * @throws StoreException DISCONNECTED
   */
  public synchronized void endApplication() {
    try {
      client.ask(channel, AgentFrame.Kind.END);
    } catch (IOException e) {
      throw client.unreachable(e);
    }
  }

  /** Lets go: if nobody else holds the application, its time runs. */
  @Override
  public void close() {
    close(channel);
  }

  private static void close(AgentChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      throw new StoreException(StoreException.Code.IO, "an agent's connection can't be closed", e);
    }
  }
}
