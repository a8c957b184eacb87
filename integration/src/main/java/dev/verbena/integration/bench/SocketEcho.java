// SPDX-License-Identifier: Apache-2.0
package dev.verbena.integration.bench;

import dev.verbena.integration.IntegrationException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A ping-pong over a plain TCP connection with blocking reads and writes, without delay. */
final class SocketEcho implements Echo {
  private final SocketChannel channel;
  private final ByteBuffer message = ByteBuffer.allocateDirect(MESSAGE);

  private SocketEcho(SocketChannel channel) throws IOException {
    this.channel = channel;
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  static SocketEcho connect(InetSocketAddress address) {
    try {
      return new SocketEcho(SocketChannel.open(address));
    } catch (IOException e) {
      throw new IntegrationException("cannot connect to " + address, e);
    }
  }

  static SocketEcho accept(ServerSocketChannel listener) {
    try {
      return new SocketEcho(listener.accept());
    } catch (IOException e) {
      throw new IntegrationException("cannot accept at " + listener, e);
    }
  }

  @Override
  public void ask(long number) {
    write(number);
    read(number);
  }

  @Override
  public void answer(long number) {
    read(number);
    write(number);
  }

  private void write(long number) {
    message.clear().putLong(0, number);
    try {
      while (message.hasRemaining()) {
        channel.write(message);
      }
    } catch (IOException e) {
      throw new IntegrationException("cannot write to " + channel, e);
    }
  }

  private void read(long number) {
    message.clear();
    try {
      while (message.hasRemaining()) {
        if (channel.read(message) < 0) {
          throw new IntegrationException("the other end closed " + channel);
        }
      }
    } catch (IOException e) {
      throw new IntegrationException("cannot read from " + channel, e);
    }
    if (message.getLong(0) != number) {
      throw new IntegrationException("message " + message.getLong(0) + " instead of " + number);
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new IntegrationException("cannot close " + channel, e);
    }
  }
}
