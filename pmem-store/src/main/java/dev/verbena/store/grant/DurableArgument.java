// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.grant;

import dev.verbena.store.local.EntryBytes;
import java.nio.ByteBuffer;

/**
 * The argument of a call, which its caller wrote one-sided into a pool of this process: nobody
 * copied it, and it was durable before the call was sent. See {@link RemoteLog#call}.
 *
 * @param application whose log it is in
 * @param log the log's number
 * @param ordinal which entry of the log it is
 * @param bytes the argument, which was whole when the call came in. Its caller could still change
 *     it, against the rules: {@link EntryBytes#read()} checks again
 * @param request what came with the call itself; valid until the service returns
 */
public record DurableArgument(
    String application, int log, long ordinal, EntryBytes bytes, ByteBuffer request) {}
