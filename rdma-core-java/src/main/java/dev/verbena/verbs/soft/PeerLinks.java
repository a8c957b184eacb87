// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.memory.MemoryMapper;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.VerbsException;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The links of a device to its peers, one a peer device: found again by the peer's incarnation,
 * made when first needed. A link lives until its peer or this device ends.
 */
final class PeerLinks {
  private static final Logger LOG = LoggerFactory.getLogger(PeerLinks.class);
  private static final long POLL_NANOS = 200_000;

  private final SoftDevice device;
  private final SecureRandom linkIds = new SecureRandom();
  private final Map<Incarnation, ShmLink> shm = new HashMap<>();
  private final List<ShmLink> crossed = new ArrayList<>();
  private final Map<TcpPath, JoinedTcp> tcpMade = new HashMap<>();
  private final Map<TcpId, TcpLink> tcpTaken = new HashMap<>();
  private Acceptor wakeAcceptor;

  /** A tcp link that this device made, with the id that the peer knows it by. */
  record JoinedTcp(TcpLink link, long id) {}

  /** What connects must have in common to share a tcp link. */
  private record TcpPath(
      Incarnation peer, InetSocketAddress remote, InetAddress local, boolean bulk) {}

  private record TcpId(Incarnation peer, long id) {}

  PeerLinks(SoftDevice device) {
    this.device = device;
  }

  /** Opens the Unix socket on which shm peers join. */
  void listenForWakes() throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    String name = "the wake socket of " + device.name();
    wakeAcceptor = new Acceptor(device.thread(), server, name, this::takeIn);
    server.bind(UnixDomainSocketAddress.of(DeviceDirectory.wakeSocket(device.directory().path())));
    wakeAcceptor.start();
  }

  /** Device thread: a shm peer joins. */
  private void takeIn(SocketChannel socket) {
    device.thread().serve(socket, SelectionKey.OP_READ, new Newcomer(socket));
  }

  /** The link to a shm peer, made if there is none. */
  ShmLink shmTo(Incarnation peer, Path peerDirectory, Deadline deadline) {
    synchronized (this) {
      ShmLink link = shm.get(peer);
      if (link != null && !link.isDead()) {
        return link;
      }
    }
    try {
      SocketChannel socket = connect(DeviceDirectory.wakeSocket(peerDirectory), deadline);
      try {
        socket.write(WakeHello.of(device.incarnation(), device.directory().path()));
        awaitWelcome(socket, deadline);
        return add(peer, peerDirectory, socket);
      } catch (IOException | RuntimeException e) {
        socket.close();
        throw e;
      }
    } catch (IOException e) {
      throw new VerbsException(
          VerbsException.Code.DISCONNECTED, "joining the device at " + peerDirectory, e);
    }
  }

  /**
   * Connects; a full backlog, on which a Unix socket would block, is tried again. (Java tells it,
   * an EAGAIN, as a SocketException of no kind of its own.)
   */
  private static SocketChannel connect(Path wakeSocket, Deadline deadline) throws IOException {
    while (true) {
      SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX);
      SocketException full = null;
      boolean connected = false;
      try {
        socket.configureBlocking(false);
        connected = socket.connect(UnixDomainSocketAddress.of(wakeSocket));
        if (connected) {
          return socket;
        }
      } catch (SocketException e) {
        if (e instanceof ConnectException || !Files.exists(wakeSocket)) {
          throw e;
        }
        full = e;
      } finally {
        if (!connected) {
          socket.close();
        }
      }
      if (deadline.hasPassed()) {
        throw new VerbsException(
            VerbsException.Code.TIMED_OUT, wakeSocket + " takes no connection", full);
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private void awaitWelcome(SocketChannel socket, Deadline deadline) throws IOException {
    ByteBuffer welcome = ByteBuffer.allocate(1);
    while (welcome.hasRemaining()) {
      int count = socket.read(welcome);
      if (count < 0) {
        throw new EOFException("the peer declined");
      }
      if (count == 0) {
        if (deadline.hasPassed()) {
          throw new VerbsException(
              VerbsException.Code.TIMED_OUT, "no welcome from " + socket.getRemoteAddress());
        }
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }

  /** The link that a shm peer made, or null. */
  synchronized ShmLink shmFrom(Incarnation peer) {
    return shm.get(peer);
  }

  /** Maps the peer's device area and starts serving the socket. */
  private ShmLink add(Incarnation peer, Path peerDirectory, SocketChannel socket)
      throws IOException {
    MappedMemory peerArea = MemoryMapper.open(DeviceDirectory.areaFile(peerDirectory));
    if (peerArea.size() != DeviceAreaLayout.SIZE
        || peerArea.getLongAcquire(DeviceAreaLayout.MAGIC_OFFSET) != DeviceAreaLayout.MAGIC
        || peerArea.getLong(DeviceAreaLayout.VERSION_OFFSET) != DeviceAreaLayout.VERSION
        || !Incarnation.readFrom(peerArea).equals(peer)) {
      peerArea.close();
      throw new IOException(peerDirectory + " is not the device that was announced");
    }
    ShmLink link = new ShmLink(device, peer, socket, peerArea);
    synchronized (this) {
      ShmLink other = shm.putIfAbsent(peer, link);
      if (other != null && !other.isDead()) {
        crossed.add(link);
      } else {
        shm.put(peer, link);
      }
    }
    device.thread().serve(socket, SelectionKey.OP_READ, link);
    return link;
  }

  /** The link's peer is gone. */
  synchronized void forget(ShmLink link) {
    shm.remove(link.peer(), link);
    crossed.remove(link);
  }

  /** The tcp link to a peer over the path that the parameters name, made if there is none. */
  JoinedTcp tcpTo(Incarnation peer, ConnectionParameters parameters, boolean bulk) {
    InetAddress local = parameters.local() == null ? null : parameters.local().getAddress();
    TcpPath path = new TcpPath(peer, parameters.remote(), local, bulk);
    synchronized (this) {
      JoinedTcp there = tcpMade.get(path);
      if (there != null && !there.link().isDead()) {
        return there;
      }
    }
    InetSocketAddress from = local == null ? null : new InetSocketAddress(local, 0);
    long id = linkIds.nextLong();
    ConnectChannel channel = ConnectChannel.open(parameters.remote(), from, parameters.deadline());
    boolean joined = false;
    try {
      channel.write(new ConnectMessage.Join(device.incarnation(), id));
      channel.read(ConnectMessage.Done.class);
      joined = true;
    } finally {
      if (!joined) {
        channel.close();
      }
    }
    JoinedTcp made = new JoinedTcp(new TcpLink(device, peer, channel.detach()), id);
    made.link().start();
    synchronized (this) {
      tcpMade.put(path, made);
    }
    return made;
  }

  /** Device thread: a peer opened a data connection. */
  void tcpJoined(ConnectMessage.Join join, SocketChannel socket) throws IOException {
    TcpLink link = new TcpLink(device, join.incarnation(), socket);
    synchronized (this) {
      tcpTaken.put(new TcpId(join.incarnation(), join.link()), link);
    }
    socket.write(new ConnectMessage.Done().encode());
    link.start();
  }

  /** The tcp link that a peer made under that id, or null. */
  synchronized TcpLink tcpFrom(Incarnation peer, long id) {
    return tcpTaken.get(new TcpId(peer, id));
  }

  synchronized void forget(TcpLink link) {
    tcpMade.values().removeIf(joined -> joined.link() == link);
    tcpTaken.values().remove(link);
  }

  void tellSegmentsChanged() {
    List<ShmLink> all;
    synchronized (this) {
      all = new ArrayList<>(shm.values());
      all.addAll(crossed);
    }
    all.forEach(ShmLink::tellSegmentsChanged);
  }

  /** Ends all links; the device thread has ended and all queue pairs are closed. */
  void close() {
    wakeAcceptor.close();
    List<ShmLink> open;
    synchronized (this) {
      open = new ArrayList<>(shm.values());
      open.addAll(crossed);
    }
    IOException cause = new IOException("device closed");
    open.forEach(link -> link.failed(cause));
  }

  /** A shm peer that has not said yet who it is. */
  private final class Newcomer implements SelectionHandler {
    private final SocketChannel socket;
    private final ByteBuffer hello = ByteBuffer.allocate(WakeHello.MAX_SIZE);

    Newcomer(SocketChannel socket) {
      this.socket = socket;
    }

    @Override
    public void ready(SelectionKey key) throws IOException {
      if (socket.read(hello) < 0) {
        throw new EOFException("the peer left before its hello");
      }
      if (!WakeHello.isWhole(hello)) {
        return;
      }
      Path directory = WakeHello.directory(hello);
      if (DeviceDirectory.proveSharedHost(directory).isEmpty()) {
        throw new IOException("can't open the device at " + directory);
      }
      key.cancel();
      device.thread().release(key);
      add(WakeHello.incarnation(hello), directory, socket);
      socket.write(ByteBuffer.wrap(new byte[] {1}));
    }

    @Override
    public void failed(Exception cause) {
      LOG.debug("a shm peer could not join {}", device.name(), cause);
      try {
        socket.close();
      } catch (IOException e) {
        LOG.warn("closing a wake socket", e);
      }
    }
  }
}
