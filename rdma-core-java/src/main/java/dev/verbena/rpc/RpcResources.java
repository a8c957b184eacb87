// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.ProtectionDomain;
import java.util.Set;

/**
 * What the connections of a client or a server share: options and registered memory. Large messages
 * that come in and those that go out have pools of their own, so that a server full of requests can
 * still answer them.
 */
final class RpcResources implements AutoCloseable {
  private static final long CONTROL_REGION = 1L << 20;

  private final Device device;
  private final ProtectionDomain domain;
  private final RpcOptions options;
  private final BufferPool control;
  private final BufferPool incoming;
  private final BufferPool outgoing;

  RpcResources(Device device, ProtectionDomain domain, RpcOptions options) {
    this.device = device;
    this.domain = domain;
    this.options = options;
    long each = BufferPool.roundUp(Link.controlBytes(options));
    control =
        new BufferPool(
            device,
            domain,
            Set.of(AccessFlag.LOCAL_WRITE),
            Math.max(CONTROL_REGION, each) * options.maxConnections(),
            CONTROL_REGION);
    incoming =
        new BufferPool(device, domain, Set.of(AccessFlag.LOCAL_WRITE), options.bufferBytes() / 2);
    outgoing =
        new BufferPool(device, domain, Set.of(AccessFlag.REMOTE_READ), options.bufferBytes() / 2);
  }

  Device device() {
    return device;
  }

  ProtectionDomain domain() {
    return domain;
  }

  RpcOptions options() {
    return options;
  }

  /** Memory for the receive buffers and send slots of one connection. */
  RegisteredBuffer takeControlBuffer() {
    RegisteredBuffer buffer = control.tryAcquire(Link.controlBytes(options));
    if (buffer == null) {
      throw new RpcException(
          RpcException.Code.OVERLOADED, false, "no registered memory for a connection", null);
    }
    return buffer;
  }

  /** Buffers that messages of peers are READ into. */
  BufferPool incoming() {
    return incoming;
  }

  /** Buffers that peers READ messages from. */
  BufferPool outgoing() {
    return outgoing;
  }

  @Override
  public void close() {
    outgoing.close();
    incoming.close();
    control.close();
  }
}
