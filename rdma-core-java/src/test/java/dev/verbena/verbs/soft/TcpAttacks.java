// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.mutation.Attacks;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.WorkCompletion;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Forged requests of a tcp peer. */
public final class TcpAttacks implements Attacks {
  private static final int INVALID = 9;
  private static final int ACCESS = 10;
  private static final int OPERATION = 11;
  private static final int WHOLE = TcpSession.WHOLE;
  private static final int OPERANDS = WorkQueueEntryLayout.SEGMENT;

  @Override
  public Map<String, Runnable> all() {
    Map<String, Runnable> all = new LinkedHashMap<>();
    TcpSession.put(all, "aWriteThatIsRight", TcpAttacks::aWriteThatIsRight);
    TcpSession.put(all, "aFrameInPieces", TcpAttacks::aFrameInPieces);
    TcpSession.put(all, "aWriteToWhereItMustNot", TcpAttacks::aWriteToWhereItMustNot);
    TcpSession.put(all, "aWriteOfAnotherLength", TcpAttacks::aWriteOfAnotherLength);
    TcpSession.put(all, "aRequestOutOfStep", TcpAttacks::aRequestOutOfStep);
    TcpSession.put(all, "aRequestAfterTheBreak", TcpAttacks::aRequestAfterTheBreak);
    TcpSession.put(all, "aSendThatIsRight", TcpAttacks::aSendThatIsRight);
    TcpSession.put(all, "aSendThatDoesNotFit", TcpAttacks::aSendThatDoesNotFit);
    TcpSession.put(all, "aRequestThatBecomesAnother", TcpAttacks::aRequestThatBecomesAnother);
    TcpSession.put(all, "aSendWithoutReceive", TcpAttacks::aSendWithoutReceive);
    TcpSession.put(all, "anInvalidationOfAnothersKey", TcpAttacks::anInvalidationOfAnothersKey);
    TcpSession.put(all, "aRead", TcpAttacks::aRead);
    TcpSession.put(all, "anAtomic", TcpAttacks::anAtomic);
    TcpSession.put(all, "aFlush", TcpAttacks::aFlush);
    TcpSession.put(all, "whatFollowsAFlush", TcpAttacks::whatFollowsAFlush);
    TcpSession.put(all, "aRequestThatFailsAtItsTarget", TcpAttacks::aRequestThatFailsAtItsTarget);
    TcpSession.put(all, "aFrameThatIsNone", TcpAttacks::aFrameThatIsNone);
    TcpSession.put(all, "anEndWithoutAWord", TcpAttacks::anEndWithoutAWord);
    TcpSession.put(all, "aFrameOutOfSequence", TcpAttacks::aFrameOutOfSequence);
    return all;
  }

  private static void aWriteThatIsRight(TcpSession at) {
    at.peer.send(at.write(0, 8, 8));
    at.peer.expect(FrameLayout.ACK, 0);
    at.expectNew(8, 8);
    at.peer.send(
        at.frame(FrameLayout.WRITE, FrameLayout.FIRST, 1, 16, 8)
            .putInt(FrameLayout.TOTAL_OFFSET, 16));
    at.peer.send(
        at.frame(FrameLayout.WRITE, FrameLayout.LAST, 1, 24, 8)
            .putInt(FrameLayout.TOTAL_OFFSET, 16));
    at.peer.expect(FrameLayout.ACK, 1);
    at.expectNew(8, 24);
    at.peer.send(RawTcpPeer.at(at.write(2, 0, 0), 0, 0));
    at.peer.expect(FrameLayout.ACK, 2);
    at.peer.send(at.write(3, 8, 24));
    at.peer.send(at.write(4, 8, 24));
    RawTcpPeer.Frame latest;
    do {
      latest = at.peer.next();
      assertThat(latest.type()).isEqualTo(FrameLayout.ACK);
    } while (latest.request() != 4);
    at.expectNew(8, 24);
  }

  private static void aFrameInPieces(TcpSession at) {
    ByteBuffer frame = at.peer.numbered(at.write(0, 0, 8));
    int piece = FrameLayout.HEADER_SIZE / 2;
    for (int sent = 0; sent < frame.capacity(); sent += piece) {
      at.peer.sendPart(frame.slice(sent, Math.min(piece, frame.capacity() - sent)));
      at.device.thread().executeAndWait(() -> {});
    }
    at.peer.expect(FrameLayout.ACK, 0);
    frame = at.peer.numbered(at.write(1, 8, 8));
    at.peer.sendPart(frame.slice(0, FrameLayout.HEADER_SIZE + 4));
    at.device.thread().executeAndWait(() -> {});
    at.peer.sendPart(frame.slice(FrameLayout.HEADER_SIZE + 4, 4));
    at.peer.expect(FrameLayout.ACK, 1);
    at.expectNew(0, 16);
  }

  private static void aWriteToWhereItMustNot(TcpSession at) {
    at.refused(RawTcpPeer.at(at.write(0, 0, 8), at.region.remoteKey() + 1, at.address(0)), ACCESS);
    at.refused(at.write(0, -1, 8), ACCESS);
    at.refused(at.write(0, TcpSession.REGION - 7, 8), ACCESS);
    at.refused(RawTcpPeer.at(at.write(0, 0, 8), at.unreachable.remoteKey(), at.address(0)), ACCESS);
  }

  private static void aWriteOfAnotherLength(TcpSession at) {
    at.refused(at.write(0, 0, 0).putInt(FrameLayout.TOTAL_OFFSET, -1), INVALID);
    at.refused(at.write(0, 0, 8).putInt(FrameLayout.TOTAL_OFFSET, 7), INVALID);
    at.refused(at.write(0, 0, 8).putInt(FrameLayout.TOTAL_OFFSET, 9), INVALID);
    at.peer.send(
        at.frame(FrameLayout.WRITE, FrameLayout.FIRST, 0, 0, 8)
            .putInt(FrameLayout.TOTAL_OFFSET, 16));
    at.peer.send(
        at.frame(FrameLayout.WRITE, FrameLayout.LAST, 0, 8, 9)
            .putInt(FrameLayout.TOTAL_OFFSET, 16));
    at.peer.expect(FrameLayout.NAK, 0, INVALID);
    at.expectNew(0, 8);
  }

  private static void aRequestOutOfStep(TcpSession at) {
    at.peer.send(at.write(1, 0, 8));
    at.peer.send(at.write(-1, 0, 8));
    at.peer.send(at.frame(FrameLayout.WRITE, FrameLayout.LAST, 0, 0, 8));
    at.peer.send(
        at.frame(FrameLayout.WRITE, FrameLayout.FIRST, 0, 64, 8)
            .putInt(FrameLayout.TOTAL_OFFSET, 16));
    at.peer.send(at.write(0, 0, 8));
    at.peer.send(
        at.frame(FrameLayout.WRITE, FrameLayout.LAST, 0, 72, 8)
            .putInt(FrameLayout.TOTAL_OFFSET, 16));
    at.peer.expect(FrameLayout.ACK, 0);
    at.expectNew(64, 16);
  }

  private static void aRequestAfterTheBreak(TcpSession at) {
    at.own.queuePair().modify(QueuePair.State.ERROR);
    at.peer.expect(FrameLayout.BROKEN, 0);
    at.peer.send(read(at, 0, 0, 8));
    at.device.thread().executeAndWait(() -> {});
    at.peer.send(at.write(0, 0, 8));
    at.endsLink(at.frame(99, WHOLE, 0, 0, 0));
  }

  private static void aSendThatIsRight(TcpSession at) {
    at.postReceive(0, 4, 8);
    at.peer.send(
        at.frame(FrameLayout.SEND, FrameLayout.FIRST, 0, 0, 6)
            .putInt(FrameLayout.TOTAL_OFFSET, 12));
    at.peer.send(
        at.frame(FrameLayout.SEND, FrameLayout.LAST | FrameLayout.IMMEDIATE, 0, 0, 6)
            .putInt(FrameLayout.TOTAL_OFFSET, 12)
            .putInt(FrameLayout.IMMEDIATE_OFFSET, 33));
    at.peer.expect(FrameLayout.ACK, 0);
    WorkCompletion completion = at.expectCompletion(CompletionStatus.SUCCESS);
    assertThat(completion.byteLength()).isEqualTo(12);
    assertThat(completion.hasImmediate()).isTrue();
    assertThat(completion.immediate()).isEqualTo(33);
    assertThat(completion.hasInvalidatedKey()).isFalse();
    at.expectNew(0, 12);
    at.postReceive(12, 8);
    at.peer.send(at.frame(FrameLayout.SEND, WHOLE, 1, 0, 0));
    at.peer.expect(FrameLayout.ACK, 1);
    completion = at.expectCompletion(CompletionStatus.SUCCESS);
    assertThat(completion.byteLength()).isZero();
    assertThat(completion.hasImmediate()).isFalse();
    at.expectNew(0, 12);
  }

  private static void aSendThatDoesNotFit(TcpSession at) {
    at.postReceive(0, 4, 4);
    at.refusedSend(at.frame(FrameLayout.SEND, WHOLE, 0, 0, 9), INVALID);
    at.expectFailedReceive(CompletionStatus.LOCAL_LENGTH_ERROR);
    at.own
        .queuePair()
        .postReceive(
            new ReceiveRequest(1).begin(0).buffer(at.address(0), 8, at.region.localKey() + 1));
    at.refusedSend(at.frame(FrameLayout.SEND, WHOLE, 0, 0, 8), OPERATION);
    at.expectFailedReceive(CompletionStatus.LOCAL_PROTECTION_ERROR);
    at.postReceive(0, 8);
    at.refused(
        at.frame(FrameLayout.SEND, WHOLE, 0, 0, 0).putInt(FrameLayout.TOTAL_OFFSET, 8), INVALID);
    at.postReceive(0, 8);
    at.refused(
        at.frame(FrameLayout.SEND, WHOLE, 0, 0, 16).putInt(FrameLayout.TOTAL_OFFSET, 8), INVALID);
  }

  private static void aRequestThatBecomesAnother(TcpSession at) {
    at.postReceive(0, 8);
    at.peer.send(
        at.frame(FrameLayout.SEND, FrameLayout.FIRST, 0, 0, 4).putInt(FrameLayout.TOTAL_OFFSET, 8));
    at.peer.send(
        at.frame(FrameLayout.WRITE, FrameLayout.LAST, 0, 64, 4)
            .putInt(FrameLayout.TOTAL_OFFSET, 8));
    at.peer.expect(FrameLayout.NAK, 0, INVALID);
    at.expectNew(0, 4);
    at.reconnect();
    at.postReceive(0, 8);
    at.peer.send(
        at.frame(FrameLayout.SEND, FrameLayout.FIRST, 0, 0, 4).putInt(FrameLayout.TOTAL_OFFSET, 8));
    at.peer.send(
        at.frame(FrameLayout.SEND, FrameLayout.LAST, 0, 0, 2).putInt(FrameLayout.TOTAL_OFFSET, 6));
    at.peer.expect(FrameLayout.NAK, 0, INVALID);
    at.expectNew(0, 4);
    at.reconnect();
    for (int type :
        new int[] {FrameLayout.READ, FrameLayout.FETCH_AND_ADD, FrameLayout.ATOMIC_WRITE}) {
      at.refused(at.frame(type, FrameLayout.FIRST, 0, 0, OPERANDS), INVALID);
    }
  }

  private static void aSendWithoutReceive(TcpSession at) {
    ByteBuffer send = at.frame(FrameLayout.SEND, WHOLE, 0, 0, 8);
    at.peer.send(send);
    at.peer.expect(FrameLayout.RNR, 0);
    at.peer.send(at.frame(FrameLayout.SEND, WHOLE, 1, 0, 8));
    at.postReceive(0, 8);
    at.peer.send(send);
    at.peer.expect(FrameLayout.ACK, 0);
    at.expectNew(0, 8);
    at.expectCompletion(CompletionStatus.SUCCESS);
    ByteBuffer write = at.frame(FrameLayout.WRITE, WHOLE | FrameLayout.IMMEDIATE, 1, 8, 8);
    at.peer.send(write);
    at.peer.expect(FrameLayout.RNR, 1);
    at.peer.send(write);
    at.peer.expect(FrameLayout.RNR, 1);
    at.postReceive(100, 8);
    at.postReceive(100, 8);
    at.peer.send(
        at.frame(FrameLayout.WRITE, FrameLayout.FIRST | FrameLayout.IMMEDIATE, 1, 8, 4)
            .putInt(FrameLayout.TOTAL_OFFSET, 8));
    at.peer.send(
        at.frame(FrameLayout.WRITE, FrameLayout.LAST | FrameLayout.IMMEDIATE, 1, 12, 4)
            .putInt(FrameLayout.TOTAL_OFFSET, 8));
    at.peer.expect(FrameLayout.ACK, 1);
    assertThat(at.expectCompletion(CompletionStatus.SUCCESS).hasImmediate()).isTrue();
    at.expectNew(0, 16);
    at.peer.send(at.write(2, 16, 8));
    at.peer.expect(FrameLayout.ACK, 2);
    assertThat(at.own.hasNone()).isTrue();
  }

  private static void anInvalidationOfAnothersKey(TcpSession at) {
    int invalidate = WHOLE | FrameLayout.INVALIDATE;
    at.postReceive(0, 8);
    at.refusedSend(
        at.frame(FrameLayout.SEND, invalidate, 0, 0, 0)
            .putInt(FrameLayout.IMMEDIATE_OFFSET, at.region.remoteKey()),
        ACCESS);
    at.expectFailedReceive(CompletionStatus.REMOTE_INVALID_REQUEST);
    at.peer.send(at.write(0, 0, 8));
    at.peer.expect(FrameLayout.ACK, 0);
    int key = at.device.keys().insertWindow();
    at.device
        .keys()
        .bind(
            key,
            at.domain.number(),
            new WindowRange(at.address(0), 8, KeyTable.REMOTE_READ),
            0,
            at.own.queuePair().number());
    at.postReceive(0, 8);
    at.peer.send(
        at.frame(FrameLayout.SEND, invalidate, 1, 0, 0).putInt(FrameLayout.IMMEDIATE_OFFSET, key));
    at.peer.expect(FrameLayout.ACK, 1);
    WorkCompletion completion = at.expectCompletion(CompletionStatus.SUCCESS);
    assertThat(completion.hasInvalidatedKey()).isTrue();
    assertThat(completion.invalidatedKey()).isEqualTo(key);
    assertThat(at.device.keys().isUnbound(KeyTable.slot(key))).isTrue();
  }

  private static void aRead(TcpSession at) {
    at.peer.send(read(at, 0, 0, 8));
    expectData(at, 0, WHOLE, 8);
    at.peer.send(read(at, 1, 0, 0));
    expectData(at, 1, WHOLE, 0);
    at.peer.send(read(at, 2, 0, TcpSession.REGION));
    expectData(at, 2, FrameLayout.FIRST, FrameLayout.MAX_PAYLOAD);
    expectData(at, 2, FrameLayout.LAST, 64);
    at.peer.send(at.write(3, 0, 0));
    at.peer.expect(FrameLayout.ACK, 3);
    ByteBuffer other = read(at, 4, 0, 8);
    at.refused(RawTcpPeer.at(other, at.unreachable.remoteKey(), at.address(0)), ACCESS);
    at.refused(read(at, 0, -1, 8), ACCESS);
    at.refused(read(at, 0, TcpSession.REGION - 8, 9), ACCESS);
  }

  private static ByteBuffer read(TcpSession at, int request, long offset, int total) {
    return at.frame(FrameLayout.READ, WHOLE, request, offset, 0)
        .putInt(FrameLayout.TOTAL_OFFSET, total);
  }

  private static void expectData(TcpSession at, int request, int flags, int length) {
    RawTcpPeer.Frame frame = at.peer.next();
    assertThat(frame).isNotNull();
    assertThat(frame.type()).isEqualTo(FrameLayout.READ_DATA);
    assertThat(frame.request()).isEqualTo(request);
    assertThat(frame.flags()).isEqualTo(flags);
    byte[] expected = new byte[length];
    Arrays.fill(expected, (byte) 0x11);
    assertThat(frame.payload()).isEqualTo(expected);
  }

  private static void anAtomic(TcpSession at) {
    long old = 0x1111_1111_1111_1111L;
    at.peer.send(operation(at, FrameLayout.FETCH_AND_ADD, 0, 0, 5, 0));
    expectFound(at, 0, old);
    at.peer.send(operation(at, FrameLayout.COMPARE_AND_SWAP, 1, 0, 7, 6));
    expectFound(at, 1, old + 5);
    at.peer.send(operation(at, FrameLayout.COMPARE_AND_SWAP, 2, 0, old, old + 5));
    expectFound(at, 2, old + 5);
    at.peer.send(operation(at, FrameLayout.ATOMIC_WRITE, 3, 8, 0x2222_2222_2222_2222L, 0));
    at.peer.expect(FrameLayout.ACK, 3);
    at.expectNew(8, 8);
    at.reconnect();
    for (int type :
        new int[] {
          FrameLayout.FETCH_AND_ADD, FrameLayout.COMPARE_AND_SWAP, FrameLayout.ATOMIC_WRITE
        }) {
      at.refused(at.frame(type, WHOLE, 0, 0, OPERANDS - 8), INVALID);
      at.refused(operation(at, type, 0, 4, 0, 0), INVALID);
      at.refused(operation(at, type, 0, TcpSession.REGION - 4, 0, 0), ACCESS);
      ByteBuffer other = operation(at, type, 0, 0, 0, 0);
      int key = (type == FrameLayout.ATOMIC_WRITE ? at.forAtomics : at.forWrites).remoteKey();
      at.refused(RawTcpPeer.at(other, key, at.address(0)), ACCESS);
    }
    at.peer.send(
        RawTcpPeer.at(
            operation(at, FrameLayout.FETCH_AND_ADD, 0, 0, 0, 0),
            at.forAtomics.remoteKey(),
            at.address(0)));
    expectFound(at, 0, old);
  }

  private static ByteBuffer operation(
      TcpSession at, int type, int request, long offset, long value, long compare) {
    return at.frame(type, WHOLE, request, offset, OPERANDS)
        .putLong(FrameLayout.HEADER_SIZE + WorkQueueEntryLayout.SWAP_ADD_OFFSET, value)
        .putLong(FrameLayout.HEADER_SIZE + WorkQueueEntryLayout.COMPARE_OFFSET, compare);
  }

  private static void expectFound(TcpSession at, int request, long value) {
    RawTcpPeer.Frame frame = at.peer.next();
    assertThat(frame).isNotNull();
    assertThat(frame.type()).isEqualTo(FrameLayout.READ_DATA);
    assertThat(frame.request()).isEqualTo(request);
    assertThat(ByteBuffer.wrap(frame.payload()).getLong()).isEqualTo(value);
  }

  private static void aFlush(TcpSession at) {
    int global = WorkQueueEntryLayout.FLUSH_GLOBAL;
    int persistent = WorkQueueEntryLayout.FLUSH_PERSISTENT;
    at.peer.send(flush(at, 0, global, WorkQueueEntryLayout.FLUSH_RANGE, TcpSession.REGION));
    at.peer.expect(FrameLayout.ACK, 0);
    at.peer.send(
        RawTcpPeer.at(
            flush(at, 1, global, WorkQueueEntryLayout.FLUSH_REGION, 0), at.region.remoteKey(), 0));
    at.peer.expect(FrameLayout.ACK, 1);
    at.reconnect();
    at.refused(flush(at, 0, 7, WorkQueueEntryLayout.FLUSH_RANGE, 8), INVALID);
    at.refused(flush(at, 0, global, 7, 8), INVALID);
    at.refused(flush(at, 0, global, WorkQueueEntryLayout.FLUSH_RANGE, -1), INVALID);
    at.refused(flush(at, 0, global, WorkQueueEntryLayout.FLUSH_RANGE, 1 << 20), ACCESS);
    at.refused(flush(at, 0, persistent, WorkQueueEntryLayout.FLUSH_RANGE, 8), ACCESS);
    at.refused(flush(at, 0, persistent, WorkQueueEntryLayout.FLUSH_REGION, 0), ACCESS);
    at.refused(at.frame(FrameLayout.FLUSH, WHOLE, 0, 0, OPERANDS - 8), INVALID);
  }

  private static void whatFollowsAFlush(TcpSession at) {
    ByteBuffer flush = persistentFlush(at);
    at.peer.send(flush);
    at.peer.send(flush.put(FrameLayout.FLAGS_OFFSET, (byte) FrameLayout.LAST));
    at.peer.send(at.write(0, 0, 8));
    at.awaitFramesSoFar();
    at.persists.countDown();
    at.peer.expect(FrameLayout.ACK, 0);
    assertThat(at.persisted).hasValue(1);
    at.peer.send(at.write(1, 64, 8));
    at.peer.expect(FrameLayout.ACK, 1);
    assertThat(at.persisted).hasValue(1);
    at.expectNew(64, 8);
  }

  private static void aRequestThatFailsAtItsTarget(TcpSession at) {
    at.device.persister().close();
    at.refused(persistentFlush(at), OPERATION);
  }

  private static ByteBuffer persistentFlush(TcpSession at) {
    return RawTcpPeer.at(
        flush(at, 0, WorkQueueEntryLayout.FLUSH_PERSISTENT, WorkQueueEntryLayout.FLUSH_RANGE, 8),
        at.persistent.remoteKey(),
        at.persistent.address());
  }

  private static ByteBuffer flush(TcpSession at, int request, int type, int level, long length) {
    return at.frame(FrameLayout.FLUSH, WHOLE, request, 0, OPERANDS)
        .putInt(FrameLayout.HEADER_SIZE + WorkQueueEntryLayout.FLUSH_TYPE_OFFSET, type)
        .putInt(FrameLayout.HEADER_SIZE + WorkQueueEntryLayout.FLUSH_LEVEL_OFFSET, level)
        .putLong(FrameLayout.HEADER_SIZE + WorkQueueEntryLayout.FLUSH_LENGTH_OFFSET, length);
  }

  private static void aFrameThatIsNone(TcpSession at) {
    ByteBuffer stale = at.write(0, 0, 8);
    stale.putInt(FrameLayout.INCARNATION_OFFSET, stale.getInt(FrameLayout.INCARNATION_OFFSET) + 1);
    at.endsLink(stale);
    at.endsLink(at.frame(99, WHOLE, 0, 0, 8));
    at.endsLink(at.write(0, 0, 0).putInt(FrameLayout.PAYLOAD_OFFSET, -1));
    at.endsLink(at.write(0, 0, 0).putInt(FrameLayout.PAYLOAD_OFFSET, FrameLayout.MAX_PAYLOAD + 1));
    at.peer.send(at.write(0, 64, 8));
    at.peer.expect(FrameLayout.ACK, 0);
    ByteBuffer elsewhere = at.write(1, 0, 8);
    elsewhere.putInt(
        FrameLayout.QUEUE_PAIR_OFFSET, elsewhere.getInt(FrameLayout.QUEUE_PAIR_OFFSET) + 1);
    at.peer.send(elsewhere);
    at.peer.send(at.write(1, 64, FrameLayout.MAX_PAYLOAD));
    at.peer.expect(FrameLayout.ACK, 1);
    at.expectNew(64, FrameLayout.MAX_PAYLOAD);
  }

  private static void anEndWithoutAWord(TcpSession at) {
    at.peer.close();
    at.awaitError();
  }

  private static void aFrameOutOfSequence(TcpSession at) {
    at.peer.send(at.write(0, 0, 8));
    at.peer.expect(FrameLayout.ACK, 0);
    at.peer.sendPart(at.write(1, 64, 8).putInt(FrameLayout.SEQUENCE_OFFSET, 0));
    at.peer.send(at.write(1, 8, 8));
    at.peer.expect(FrameLayout.ACK, 1);
    at.expectNew(0, 16);
    at.reconnect();
    at.peer.numbered(at.write(0, 0, 8));
    at.endsLink(at.write(0, 0, 8));
  }
}
