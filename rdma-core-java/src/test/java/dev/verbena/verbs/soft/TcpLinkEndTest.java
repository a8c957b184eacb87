// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.SendRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a socket that fails does to the queue pairs that use it. */
class TcpLinkEndTest {
  /** More than a link's buffer holds: the entry is not through when the socket fails. */
  private static final int LENGTH = 4 << 20;

  @Test
  @Timeout(120)
  void aSocketThatFailsWhileTheDeviceThreadDrivesAQueueEndsTheLink() {
    TcpSession session = new TcpSession();
    MappedMemory memory = session.device.allocate(LENGTH);
    MemoryRegion source =
        session.domain.register(memory, 0, LENGTH, EnumSet.of(AccessFlag.LOCAL_WRITE));
    DeviceThread thread = session.device.thread();
    thread.execute(
        () -> {
          shutOutput(thread);
          session.own.post(
              new SendRequest(1)
                  .write(1, 0, 0)
                  .buffer(source.address(), LENGTH, source.localKey())
                  .signaled());
        });
    session.awaitError();
    assertThat(session.own.next().status()).isEqualTo(CompletionStatus.TRANSPORT_RETRY_EXCEEDED);
    // Not in a finally: closing waits for the device thread, which is not free if this failed.
    source.close();
    memory.close();
    session.close();
  }

  /** Else whoever may connect could fill this process's memory with answers it never takes. */
  @Test
  @Timeout(120)
  void aPeerThatReadsOnAndTakesNoAnswerLosesItsLink() {
    try (TcpSession session = new TcpSession()) {
      int batch = 4096;
      int request = 0;
      boolean open = true;
      while (open) {
        ByteBuffer frames = ByteBuffer.allocate(batch * FrameLayout.HEADER_SIZE);
        for (int i = 0; i < batch; i++) {
          ByteBuffer read =
              session
                  .frame(FrameLayout.READ, TcpSession.WHOLE, request++, 0, 0)
                  .putInt(FrameLayout.TOTAL_OFFSET, FrameLayout.MAX_PAYLOAD);
          frames.put(session.peer.numbered(read).rewind());
        }
        try {
          session.peer.sendPart(frames);
        } catch (UncheckedIOException e) {
          open = false;
        }
      }
      session.awaitError();
    }
  }

  /** Device thread: whatever is written to the link's socket from now on fails. */
  private static void shutOutput(DeviceThread thread) {
    for (SelectionKey key : thread.selector().keys()) {
      if (key.attachment() instanceof TcpLink) {
        try {
          ((SocketChannel) key.channel()).shutdownOutput();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }
}
