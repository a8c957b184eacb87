// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.ConnectionRejectedException;
import dev.verbena.verbs.VerbsException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A blocking exchange of {@link ConnectMessage}s under one deadline. One thread. */
final class ConnectChannel implements AutoCloseable {
  private final SocketChannel channel;
  private final Deadline deadline;

  /** Goes on with a channel in blocking mode. */
  ConnectChannel(SocketChannel channel, Deadline deadline) {
    this.channel = channel;
    this.deadline = deadline;
  }

  /** Connects to a listener, from {@code local} if it is given. */
  static ConnectChannel open(InetSocketAddress remote, InetSocketAddress local, Deadline deadline) {
    if (remote.isUnresolved()) {
      throw new VerbsException(VerbsException.Code.UNREACHABLE, "can't resolve " + remote);
    }
    SocketChannel channel = null;
    try {
      channel = SocketChannel.open();
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      if (local != null) {
        channel.bind(local);
      }
      channel.socket().connect(remote, millis(deadline, remote.toString()));
      return new ConnectChannel(channel, deadline);
    } catch (IOException e) {
      closeQuietly(channel, e);
      throw failure(e, remote.toString());
    } catch (RuntimeException e) {
      closeQuietly(channel, e);
      throw e;
    }
  }

  private static void closeQuietly(SocketChannel channel, Exception cause) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        cause.addSuppressed(e);
      }
    }
  }

  private static int millis(Deadline deadline, String peer) {
    long left = deadline.remainingMillis();
    if (left == 0) {
      throw new VerbsException(VerbsException.Code.TIMED_OUT, "connecting to " + peer);
    }
    return (int) Math.min(left, Integer.MAX_VALUE);
  }

  void write(ConnectMessage message) {
    ByteBuffer bytes = message.encode();
    try {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } catch (IOException e) {
      throw failure(e, peer());
    }
  }

  /** Reads the next message, a reject as an exception. */
  ConnectMessage read() {
    try {
      ByteBuffer header = ByteBuffer.wrap(readFully(ConnectMessage.HEADER_SIZE));
      byte[] body = readFully(ConnectMessage.bodyLength(header));
      ConnectMessage message = ConnectMessage.decode(header.get(ConnectMessage.TYPE_OFFSET), body);
      if (message instanceof ConnectMessage.Reject reject) {
        throw new ConnectionRejectedException(
            peer() + " rejected the connect: " + reject.reason(), reject.privateData());
      }
      return message;
    } catch (IOException e) {
      throw failure(e, peer());
    }
  }

  /** Reads the next message, which must be of type {@code type}. */
  <T extends ConnectMessage> T read(Class<T> type) {
    ConnectMessage message = read();
    if (!type.isInstance(message)) {
      throw new VerbsException(
          VerbsException.Code.PROTOCOL,
          peer()
              + " answered "
              + message.getClass().getSimpleName()
              + ", expected "
              + type.getSimpleName());
    }
    return type.cast(message);
  }

  private byte[] readFully(int count) throws IOException {
    byte[] bytes = new byte[count];
    InputStream in = channel.socket().getInputStream();
    for (int done = 0; done < count; ) {
      channel.socket().setSoTimeout(millis(deadline, peer()));
      int more = in.read(bytes, done, count - done);
      if (more < 0) {
        throw new EOFException("connection closed");
      }
      done += more;
    }
    return bytes;
  }

  private String peer() {
    return String.valueOf(channel.socket().getRemoteSocketAddress());
  }

  private static VerbsException failure(IOException e, String peer) {
    if (e instanceof SocketTimeoutException) {
      return new VerbsException(VerbsException.Code.TIMED_OUT, "connecting to " + peer, e);
    }
    if (e instanceof ConnectException || e instanceof BindException) {
      return new VerbsException(
          VerbsException.Code.UNREACHABLE, "connecting to " + peer + ": " + e.getMessage(), e);
    }
    boolean lost = e instanceof EOFException || e instanceof SocketException;
    return new VerbsException(
        lost ? VerbsException.Code.DISCONNECTED : VerbsException.Code.UNREACHABLE,
        "connecting to " + peer + ": " + e.getMessage(),
        e);
  }

  /** Hands the channel on; this object must not be used any more. */
  SocketChannel detach() {
    return channel;
  }

  InetSocketAddress remoteAddress() {
    return (InetSocketAddress) channel.socket().getRemoteSocketAddress();
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw failure(e, peer());
    }
  }
}
