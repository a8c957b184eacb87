// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.mutation.Attacks;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Requests of a tcp peer for memory whose file was truncated: by a byte, which makes no access
 * fault. What the file is too short for is undefined wherever it is, so none may succeed.
 */
public final class TruncationAttacks implements Attacks {
  private static final int OPERATION = 11;
  private static final int WHOLE = TcpSession.WHOLE;

  @Override
  public Map<String, Runnable> all() {
    Map<String, Runnable> all = new LinkedHashMap<>();
    TcpSession.put(all, "aReadOfTruncatedMemory", TruncationAttacks::read);
    TcpSession.put(all, "aWriteToTruncatedMemory", TruncationAttacks::write);
    TcpSession.put(all, "aSendToTruncatedMemory", TruncationAttacks::send);
    TcpSession.put(all, "anAtomicOnTruncatedMemory", TruncationAttacks::atomic);
    TcpSession.put(all, "anAtomicWriteToTruncatedMemory", TruncationAttacks::atomicWrite);
    return all;
  }

  private static void read(TcpSession at) {
    refusedIfTruncated(
        at,
        at.frame(FrameLayout.READ, WHOLE, 0, 0, 0)
            .putInt(FrameLayout.TOTAL_OFFSET, TcpSession.REGION),
        FrameLayout.READ_DATA);
  }

  private static void write(TcpSession at) {
    refusedIfTruncated(at, at.write(0, 0, 8), FrameLayout.ACK);
  }

  private static void send(TcpSession at) {
    at.postReceive(0, 8);
    refusedIfTruncated(at, at.frame(FrameLayout.SEND, WHOLE, 0, 0, 8), FrameLayout.ACK);
  }

  private static void atomic(TcpSession at) {
    refusedIfTruncated(at, qword(at, FrameLayout.FETCH_AND_ADD), FrameLayout.READ_DATA);
  }

  private static void atomicWrite(TcpSession at) {
    refusedIfTruncated(at, qword(at, FrameLayout.ATOMIC_WRITE), FrameLayout.ACK);
  }

  private static ByteBuffer qword(TcpSession at, int type) {
    return at.frame(type, WHOLE, 0, 0, WorkQueueEntryLayout.SEGMENT);
  }

  /** A request 0 is refused, and answered as ever once the file has its length again. */
  private static void refusedIfTruncated(TcpSession at, ByteBuffer frame, int answer) {
    long length = at.memory.size();
    setLength(at.memory, length - 1);
    at.peer.send(frame);
    at.peer.expect(FrameLayout.NAK, 0, OPERATION);
    at.awaitError();
    setLength(at.memory, length);
    at.reconnect();
    at.postReceive(0, 8);
    at.peer.send(frame.putInt(FrameLayout.QUEUE_PAIR_OFFSET, at.own.queuePair().number()));
    assertThat(at.peer.next().type()).isEqualTo(answer);
  }

  static void setLength(MappedMemory memory, long length) {
    String file = memory.backingFile().orElseThrow().toString();
    try (RandomAccessFile open = new RandomAccessFile(file, "rw")) {
      open.setLength(length);
    } catch (IOException e) {
      throw new UncheckedIOException(file, e);
    }
  }
}
