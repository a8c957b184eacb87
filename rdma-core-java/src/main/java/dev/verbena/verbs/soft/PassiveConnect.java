// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.time.Deadline;
import dev.verbena.verbs.ConnectionRequest;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.TrafficClass;
import dev.verbena.verbs.VerbsException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The passive side of one connect. */
final class PassiveConnect implements ConnectionRequest {
  private static final Logger LOG = LoggerFactory.getLogger(PassiveConnect.class);
  private static final Duration REJECT_DEADLINE = Duration.ofSeconds(5);

  private final SoftDevice device;
  private final SoftListener listener;
  private final SocketChannel socket;
  private final ConnectMessage.Request request;
  private final InetSocketAddress remote;

  PassiveConnect(
      SoftDevice device,
      SoftListener listener,
      SocketChannel socket,
      ConnectMessage.Request request) {
    this.device = device;
    this.listener = listener;
    this.socket = socket;
    this.request = request;
    this.remote = (InetSocketAddress) socket.socket().getRemoteSocketAddress();
  }

  @Override
  public InetSocketAddress remoteAddress() {
    return remote;
  }

  @Override
  public byte[] privateData() {
    return request.privateData().clone();
  }

  @Override
  public void accept(QueuePair accepted, byte[] privateData, Deadline deadline) {
    SoftDevice.requirePrivateData(privateData);
    SoftQueuePair queuePair = (SoftQueuePair) accepted;
    queuePair.requireReset();
    boolean connected = false;
    try (ConnectChannel channel = new ConnectChannel(socket, deadline)) {
      if (queuePair.attributes().trafficClass() == TrafficClass.BULK != request.bulk()) {
        channel.write(new ConnectMessage.Reject("traffic classes differ", new byte[0]));
        throw new VerbsException(
            VerbsException.Code.INVALID_ARGUMENT,
            "the active side connects a queue pair of class "
                + (request.bulk() ? TrafficClass.BULK : TrafficClass.CONTROL)
                + ", got "
                + queuePair.attributes().trafficClass());
      }
      channel.write(reply(queuePair, privateData));
      ConnectMessage.Ready ready = channel.read(ConnectMessage.Ready.class);
      join(queuePair, ready);
      queuePair.ready();
      channel.write(new ConnectMessage.Done());
      connected = true;
    } finally {
      if (!connected) {
        queuePair.breakConnection();
      }
      listener.answered();
    }
  }

  private ConnectMessage.Reply reply(SoftQueuePair queuePair, byte[] privateData) {
    boolean tcpOnly = device.options().carrier() == DeviceOptions.CarrierPolicy.TCP_ONLY;
    Optional<byte[]> proof =
        tcpOnly || request.tcpOnly()
            ? Optional.empty()
            : DeviceDirectory.proveSharedHost(ActiveConnect.path(request.directory()));
    return new ConnectMessage.Reply(
        device.incarnation(),
        queuePair.number(),
        tcpOnly,
        device.directory().path().toString(),
        proof.orElse(new byte[0]),
        privateData);
  }

  private void join(SoftQueuePair queuePair, ConnectMessage.Ready ready) {
    if (!ready.shm()) {
      TcpLink tcp = device.links().tcpFrom(request.incarnation(), ready.link());
      if (tcp == null) {
        throw new VerbsException(
            VerbsException.Code.PROTOCOL, remote + " chose tcp but did not join the device");
      }
      queuePair.join(tcp.connect(queuePair, request.queuePair()));
      return;
    }
    if (!device.directory().isProvenBy(ready.proof())) {
      throw new VerbsException(
          VerbsException.Code.PROTOCOL,
          remote + " chose shm without proof that it shares the host");
    }
    ShmLink link = device.links().shmFrom(request.incarnation());
    if (link == null) {
      throw new VerbsException(
          VerbsException.Code.PROTOCOL, remote + " chose shm but did not join the device");
    }
    Path directory = ActiveConnect.path(request.directory());
    queuePair.joinOver(link, ActiveConnect.mapPeer(directory, request.queuePair()));
  }

  @Override
  public void reject(byte[] privateData) {
    SoftDevice.requirePrivateData(privateData);
    refuse(privateData);
    listener.answered();
  }

  /** Declines on the listener's behalf. */
  void refuse(byte[] privateData) {
    Deadline deadline = Deadline.after(REJECT_DEADLINE);
    try (ConnectChannel channel = new ConnectChannel(socket, deadline)) {
      channel.write(new ConnectMessage.Reject("rejected by the passive side", privateData));
    } catch (VerbsException e) {
      LOG.debug("{} did not wait for its reject", remote, e);
    }
  }
}
