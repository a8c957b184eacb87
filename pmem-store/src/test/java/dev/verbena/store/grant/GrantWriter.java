// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.rpc.BufferPool;
import dev.verbena.rpc.BulkBatch;
import dev.verbena.rpc.RegisteredBuffer;
import dev.verbena.rpc.RpcClient;
import dev.verbena.rpc.RpcConnection;
import dev.verbena.rpc.RpcException;
import dev.verbena.rpc.RpcOptions;
import dev.verbena.rpc.RpcSecret;
import dev.verbena.store.serve.ServeOptions;
import dev.verbena.testing.Await;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.DeviceOptions;
import dev.verbena.verbs.DeviceOptions.CarrierPolicy;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.VerbsProvider;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;

/** A writer's end: its connection is at hand, so that a test can break rules on it. */
final class GrantWriter implements AutoCloseable {
  final Device device;
  private final RpcClient rpc;
  final RpcConnection connection;
  final BufferPool buffers;
  final GrantClient client;

  GrantWriter(ServeOptions options, InetSocketAddress store, ScheduledExecutorService timer) {
    device =
        VerbsProvider.openDevice(
            options.provider(),
            DeviceOptions.defaults()
                .withDirectory(options.deviceDirectory())
                .withCarrier(options.tcpOnly() ? CarrierPolicy.TCP_ONLY : CarrierPolicy.AUTOMATIC));
    ProtectionDomain domain = device.createProtectionDomain();
    rpc = RpcClient.open(device, domain, RpcOptions.of(RpcSecret.of(GrantFixture.SECRET)));
    connection = rpc.connect(store, deadline());
    buffers =
        new BufferPool(device, domain, Set.of(AccessFlag.LOCAL_WRITE), 64L * GrantFixture.MIB);
    client =
        new GrantClient(
            connection, device, buffers, "granting", Await.PATIENCE, timer, bytes -> {});
  }

  void write(int output, int partitions, int blockLength) {
    try (RemoteMapOutputWriter writer =
        client.openMapOutput(GrantFixture.key(output), partitions)) {
      append(writer, output, partitions, blockLength);
      writer.commit(new long[0]);
    }
  }

  static void append(RemoteMapOutputWriter writer, int output, int partitions, int blockLength) {
    for (int p = 0; p < partitions; p++) {
      writer.append(p, GrantFixture.block(output, p, blockLength), 0, blockLength);
    }
  }

  /** WRITEs into a grant's record whatever its lease and bounds are; how the store refused that. */
  Optional<RpcException.Code> writeAnyway(ClientGrant grant, long position, int length) {
    GrantLayout.Response terms = grant.terms();
    try (RegisteredBuffer source = buffers.acquire(length, deadline())) {
      connection
          .bulk()
          .transfer(
              new BulkBatch(1)
                  .write(source, 0, terms.recordAddress() + position, terms.recordKey(), length),
              deadline());
      return Optional.empty();
    } catch (RpcException e) {
      return Optional.of(e.code());
    }
  }

  static Deadline deadline() {
    return Deadline.after(Await.PATIENCE);
  }

  @Override
  public void close() {
    rpc.close();
    buffers.close();
    device.close();
  }
}
