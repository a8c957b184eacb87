// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.net.InetSocketAddress;

/**
 * Who is at the other end of a connection; authenticated by the shared secret.
 *
 * @param address where it connects from, or listens
 * @param deviceName what it calls its device, for messages only
 * @param connectionId unique on the server while it runs
 */
public record RpcPeer(InetSocketAddress address, String deviceName, long connectionId) {}
