// SPDX-License-Identifier: Apache-2.0
package dev.verbena.store.serve;

import dev.verbena.rpc.BufferPool;
import dev.verbena.rpc.RegisteredBuffer;
import dev.verbena.rpc.RpcException;
import dev.verbena.store.StoreException;
import dev.verbena.time.Deadline;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.Device;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.VerbsException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/**
 * The registered memory of a client: for blocks, which listeners keep as long as they like, and for
 * scratch, which is given back by whoever took it without waiting for anybody. Thread-safe.
 */
final class FetchBuffers implements AutoCloseable {
  /** Bytes of one buffer for blocks, but for the last one. */
  static final int STEP_BYTES = 4 << 20;

  private static final long SCRATCH_BYTES = 256L << 20;

  private final BufferPool blocks;
  private final BufferPool scratch;

  FetchBuffers(Device device, ProtectionDomain domain, long blockBytes) {
    EnumSet<AccessFlag> filledByReads = EnumSet.of(AccessFlag.LOCAL_WRITE);
    this.blocks = new BufferPool(device, domain, filledByReads, blockBytes);
    this.scratch = new BufferPool(device, domain, filledByReads, SCRATCH_BYTES);
  }

  /** Takes scratch, waiting for it if need be. */
  RegisteredBuffer scratch(StoreEndpoint peer, long bytes, Deadline deadline) {
    try {
      return scratch.acquire(bytes, deadline);
    } catch (RpcException e) {
      throw Failures.of(peer, e);
    } catch (VerbsException e) {
      throw Failures.of(peer, e);
    }
  }

  /**
   * Takes buffers for blocks of {@code length} bytes in all; empty if there are none to spare now.
   *
   * @throws StoreException if the client is closed, or its device fails
   */
  Optional<List<RegisteredBuffer>> forBlocks(StoreEndpoint peer, long length) {
    List<RegisteredBuffer> buffers = new ArrayList<>();
    boolean complete = false;
    try {
      for (long done = 0; done < length; done += STEP_BYTES) {
        RegisteredBuffer buffer = blocks.tryAcquire(Math.min(STEP_BYTES, length - done));
        if (buffer == null) {
          return Optional.empty();
        }
        buffers.add(buffer);
      }
      complete = true;
      return Optional.of(buffers);
    } catch (RpcException e) {
      if (e.code() == RpcException.Code.MESSAGE_TOO_LARGE) {
        return Optional.empty();
      }
      throw Failures.of(peer, e);
    } catch (VerbsException e) {
      if (e.code() == VerbsException.Code.NO_RESOURCES) {
        return Optional.empty();
      }
      throw Failures.of(peer, e);
    } finally {
      if (!complete) {
        buffers.forEach(RegisteredBuffer::close);
      }
    }
  }

  /** Whether nothing is on loan. */
  boolean isIdle() {
    return scratch.isIdle() && blocks.isIdle();
  }

  @Override
  public void close() {
    scratch.close();
    blocks.close();
  }
}
