// SPDX-License-Identifier: Apache-2.0
/**
 * The RPC framework: control calls two-sided by SEND and RECV under credits, bulk one-sided by READ
 * and WRITE between registered memory. {@link RpcServer} registers handlers, {@link RpcClient}
 * opens {@link RpcConnection}s, {@link BufferPool} makes registered buffers for {@link
 * BulkChannel}.
 *
 * <p>Both ends prove that they know one secret before either tells a key or an address, or runs a
 * method. Every wait has a deadline. What a peer sends is checked before it is used as a length, an
 * id or an index.
 */
package dev.verbena.rpc;
