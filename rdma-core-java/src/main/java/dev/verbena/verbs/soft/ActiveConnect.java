// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import dev.verbena.memory.MappedMemory;
import dev.verbena.memory.MemoryMapper;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.ConnectionParameters;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.TrafficClass;
import dev.verbena.verbs.VerbsException;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The active side of one connect. shm is chosen only if both ends proved that they can read each
 * other's nonce file.
 */
final class ActiveConnect {
  private final SoftDevice device;
  private final SoftQueuePair queuePair;
  private final ConnectionParameters parameters;

  ActiveConnect(SoftDevice device, SoftQueuePair queuePair, ConnectionParameters parameters) {
    this.device = device;
    this.queuePair = queuePair;
    this.parameters = parameters;
  }

  /** Connects and returns the passive side's private data. */
  byte[] run() {
    queuePair.requireReset();
    boolean connected = false;
    Deadline deadline = parameters.deadline();
    try (ConnectChannel channel =
        ConnectChannel.open(parameters.remote(), parameters.local(), deadline)) {
      channel.write(request());
      ConnectMessage.Reply reply = channel.read(ConnectMessage.Reply.class);
      Optional<byte[]> proof = proof(reply);
      long link = 0;
      if (proof.isPresent()) {
        joinOverShm(reply, deadline);
      } else {
        link = joinOverTcp(reply);
      }
      channel.write(new ConnectMessage.Ready(proof.isPresent(), link, proof.orElse(new byte[0])));
      channel.read(ConnectMessage.Done.class);
      queuePair.ready();
      connected = true;
      return reply.privateData();
    } catch (VerbsException e) {
      throw e.code() == VerbsException.Code.DISCONNECTED ? unreachable(e) : e;
    } finally {
      if (!connected) {
        queuePair.breakConnection();
      }
    }
  }

  private long joinOverTcp(ConnectMessage.Reply reply) {
    PeerLinks.JoinedTcp joined = device.links().tcpTo(reply.incarnation(), parameters, bulk());
    queuePair.join(joined.link().connect(queuePair, reply.queuePair()));
    return joined.id();
  }

  /** A listener that goes away resets what nobody took yet: to a caller, nobody listens. */
  private VerbsException unreachable(VerbsException cause) {
    return new VerbsException(
        VerbsException.Code.UNREACHABLE,
        parameters.remote() + " went away before it answered: " + cause.getMessage(),
        cause);
  }

  private boolean bulk() {
    return queuePair.attributes().trafficClass() == TrafficClass.BULK;
  }

  private boolean tcpOnly() {
    return device.options().carrier() == DeviceOptions.CarrierPolicy.TCP_ONLY;
  }

  private ConnectMessage.Request request() {
    return new ConnectMessage.Request(
        device.incarnation(),
        queuePair.number(),
        tcpOnly(),
        bulk(),
        device.directory().path().toString(),
        parameters.privateData());
  }

  private Optional<byte[]> proof(ConnectMessage.Reply reply) {
    if (tcpOnly() || reply.tcpOnly() || !device.directory().isProvenBy(reply.proof())) {
      return Optional.empty();
    }
    return DeviceDirectory.proveSharedHost(path(reply.directory()));
  }

  private void joinOverShm(ConnectMessage.Reply reply, Deadline deadline) {
    Path directory = path(reply.directory());
    ShmLink link = device.links().shmTo(reply.incarnation(), directory, deadline);
    queuePair.joinOver(link, mapPeer(directory, reply.queuePair()));
  }

  static Path path(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new VerbsException(VerbsException.Code.PROTOCOL, "malformed directory of a peer", e);
    }
  }

  static MappedMemory mapPeer(Path directory, int queuePairNumber) {
    try {
      return MemoryMapper.open(DeviceDirectory.queuePairFile(directory, queuePairNumber));
    } catch (IOException e) {
      throw new VerbsException(
          VerbsException.Code.DISCONNECTED, "the peer's queue pair is gone", e);
    }
  }
}
