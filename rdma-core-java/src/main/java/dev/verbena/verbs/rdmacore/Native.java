// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.jni.NativeLibrary;
import java.nio.ByteBuffer;

/**
 * The provider's functions in {@code libverbena.so}, which {@link NativeLibrary} loads. Objects are
 * named by handles: one that was ended already is answered EBADF. A negative result is an errno,
 * for {@link Failures}. Addresses are of direct buffers that the caller keeps reachable.
 */
final class Native {
  /** What a wait returns that a nudge ended. */
  static final int NUDGED = -125;

  private Native() {}

  static native int layout(long into, int room);

  static native long address(ByteBuffer buffer);

  static native ByteBuffer buffer(long address, long bytes);

  static native String unavailable();

  static native long deviceOpen(String name, long info);

  static native int deviceClose(long device);

  static native int deviceWait(long device, long into, int timeoutMillis);

  static native int deviceNudge(long device);

  static native int deviceCalm(long device);

  static native long domainCreate(long device);

  static native int domainDestroy(long domain);

  static native long regionRegister(long domain, long address, long length, int access, long keys);

  static native int regionDeregister(long region);

  static native long windowAllocate(long domain, long key);

  static native int windowDeallocate(long window);

  static native long map(long bytes);

  static native int unmap(long address, long bytes);

  static native long channelCreate(long device);

  static native int channelDestroy(long channel);

  static native long channelWait(long channel, int timeoutMillis);

  static native int channelNudge(long channel);

  static native int channelCalm(long channel);

  static native long queueCreate(long device, long channel, int depth);

  static native int queueDestroy(long queue);

  static native int queueArm(long queue, boolean solicitedOnly);

  static native int queuePoll(long queue, long into, int room);

  static native long queuePairCreate(
      long domain,
      long sends,
      long receives,
      long shared,
      int sendDepth,
      int receiveDepth,
      int buffers,
      int inline,
      long number);

  static native int queuePairDestroy(long pair);

  static native int queuePairReady(long pair, long id, long path);

  static native int queuePairHold(long pair, boolean hold);

  static native int queuePairBreak(long pair);

  static native int queuePairState(long pair);

  static native int postSend(long pair, long requests, int count);

  static native int postReceive(long pair, long request);

  static native long sharedCreate(long domain, int depth, int buffers);

  static native int sharedDestroy(long shared);

  static native int sharedPost(long shared, long request);

  static native int sharedLimit(long shared, int limit);

  static native long idCreate(long device);

  static native int idDestroy(long id);

  static native int idBind(long id, long address);

  static native int idListen(long id, int backlog);

  static native int idAddress(long id, long into);

  static native int idResolveAddress(long id, long source, long target, int timeoutMillis);

  static native int idResolveRoute(long id, int timeoutMillis);

  static native int idIsOn(long id, long device);

  static native int idConnect(long id, long pair, int reads, int rnrRetries, long data, int length);

  static native int idAccept(
      long id, long pair, int readsOfPeer, int reads, int rnrRetries, long data, int length);

  static native int idEstablish(long id);

  static native int idReject(long id, long data, int length);

  static native int idDisconnect(long id);
}
