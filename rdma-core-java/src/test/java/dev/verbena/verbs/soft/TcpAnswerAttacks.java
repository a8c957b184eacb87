// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.verbena.testing.mutation.Attacks;
import dev.verbena.verbs.CompletionStatus;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.SendRequest;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;

/** Forged answers of a tcp peer. */
public final class TcpAnswerAttacks implements Attacks {
  private static final int WHOLE = TcpSession.WHOLE;
  private static final int REMOTE_KEY = 1234;

  @Override
  public Map<String, Runnable> all() {
    Map<String, Runnable> all = new LinkedHashMap<>();
    TcpSession.put(all, "dataThatIsRight", TcpAnswerAttacks::dataThatIsRight);
    TcpSession.put(all, "dataThatWasNotAskedFor", TcpAnswerAttacks::dataThatWasNotAskedFor);
    TcpSession.put(all, "dataOfAnotherRequest", TcpAnswerAttacks::dataOfAnotherRequest);
    TcpSession.put(all, "whatAnAtomicFound", TcpAnswerAttacks::whatAnAtomicFound);
    TcpSession.put(all, "dataForABufferThatIsGone", TcpAnswerAttacks::dataForABufferThatIsGone);
    TcpSession.put(all, "anAcknowledgementOfAnother", TcpAnswerAttacks::anAcknowledgementOfAnother);
    TcpSession.put(all, "anAnswerAfterTheBreak", TcpAnswerAttacks::anAnswerAfterTheBreak);
    TcpSession.put(all, "aRefusal", TcpAnswerAttacks::aRefusal);
    TcpSession.put(all, "aRequestToSendAgain", TcpAnswerAttacks::aRequestToSendAgain);
    return all;
  }

  private static SendRequest buffer(TcpSession at, SendRequest request, int length) {
    return request.buffer(at.address(0), length, at.region.localKey()).signaled();
  }

  /** Asks the peer for data, as request {@code number}. */
  private static void read(TcpSession at, int number, int length) {
    at.own.post(buffer(at, new SendRequest(1).read(number, 0, REMOTE_KEY), length));
    at.peer.expect(FrameLayout.READ, number);
  }

  private static void write(TcpSession at, int number) {
    at.own.post(buffer(at, new SendRequest(1).write(number, 0, REMOTE_KEY), 8));
    at.peer.expect(FrameLayout.WRITE, number);
  }

  private static void add(TcpSession at, int number) {
    at.own.post(buffer(at, new SendRequest(1).fetchAndAdd(number, 0, REMOTE_KEY, 1), 8));
    at.peer.expect(FrameLayout.FETCH_AND_ADD, number);
  }

  private static ByteBuffer data(TcpSession at, int flags, int number, int payload) {
    return at.frame(FrameLayout.READ_DATA, flags, number, 0, payload);
  }

  private static void done(TcpSession at, int number) {
    assertThat(at.expectCompletion(CompletionStatus.SUCCESS).requestId()).isEqualTo(number);
  }

  private static void dataThatIsRight(TcpSession at) {
    read(at, 0, 8);
    at.peer.send(data(at, WHOLE, 0, 8));
    done(at, 0);
    at.expectNew(0, 8);
    read(at, 1, 16);
    at.peer.send(data(at, FrameLayout.FIRST, 1, 12));
    at.peer.send(data(at, FrameLayout.LAST, 1, 4));
    done(at, 1);
    at.expectNew(0, 16);
    read(at, 2, 0);
    at.peer.send(data(at, WHOLE, 2, 0));
    done(at, 2);
    add(at, 3);
    at.peer.send(data(at, WHOLE, 3, 8));
    done(at, 3);
    write(at, 4);
    read(at, 5, 8);
    at.peer.send(data(at, WHOLE, 5, 8));
    done(at, 4);
    done(at, 5);
    at.expectNew(0, 16);
    assertThat(at.own.hasNone()).isTrue();
  }

  /** Ends the link, and puts nothing anywhere. */
  private static void ends(TcpSession at, ByteBuffer frame) {
    at.peer.send(frame);
    assertThat(at.peer.next()).isNull();
    at.expectCompletion(CompletionStatus.TRANSPORT_RETRY_EXCEEDED);
    at.expectNew(0, 0);
    at.reconnect();
  }

  private static void dataThatWasNotAskedFor(TcpSession at) {
    read(at, 0, 8);
    ends(at, data(at, WHOLE, 0, 9));
    read(at, 0, 8);
    ends(at, data(at, WHOLE, 1, 8));
    read(at, 0, 8);
    ends(at, data(at, WHOLE, -1, 8));
    read(at, 0, 8);
    ends(at, data(at, FrameLayout.LAST, 0, 8));
    write(at, 0);
    ends(at, data(at, WHOLE, 0, 8));
    add(at, 0);
    ends(at, data(at, WHOLE, 0, 4));
    add(at, 0);
    // With what the missing bytes could be taken from.
    ByteBuffer few = data(at, WHOLE, 0, 4);
    ByteBuffer more = at.write(0, 0, 8);
    ends(at, ByteBuffer.allocate(few.capacity() + more.capacity()).put(few).put(more));
    read(at, 0, 8);
    at.peer.send(data(at, FrameLayout.FIRST, 0, 6));
    at.peer.send(data(at, FrameLayout.LAST, 0, 3));
    assertThat(at.peer.next()).isNull();
    at.expectCompletion(CompletionStatus.TRANSPORT_RETRY_EXCEEDED);
    at.expectNew(0, 6);
  }

  private static void dataOfAnotherRequest(TcpSession at) {
    read(at, 0, 8);
    at.peer.send(data(at, WHOLE, 0, 8));
    done(at, 0);
    at.peer.send(data(at, 0, 7, 0));
    assertThat(at.peer.next()).isNull();
    at.reconnect();
    read(at, 0, 8);
    read(at, 1, 8);
    at.peer.send(data(at, FrameLayout.FIRST, 0, 4));
    at.peer.send(data(at, FrameLayout.LAST, 1, 4));
    assertThat(at.peer.next()).isNull();
    at.expectNew(0, 4);
  }

  private static void whatAnAtomicFound(TcpSession at) {
    add(at, 0);
    at.peer.send(data(at, WHOLE, 0, 8).putLong(FrameLayout.HEADER_SIZE, 77));
    done(at, 0);
    assertThat(at.region.memory().getLong(at.region.offset())).isEqualTo(77);
  }

  private static void dataForABufferThatIsGone(TcpSession at) {
    at.own.post(
        new SendRequest(1)
            .read(0, 0, REMOTE_KEY)
            .buffer(at.address(0), 8, at.region.localKey() + 1)
            .signaled());
    at.peer.expect(FrameLayout.READ, 0);
    at.peer.send(data(at, WHOLE, 0, 8));
    at.expectCompletion(CompletionStatus.LOCAL_PROTECTION_ERROR);
    at.awaitError();
    at.expectNew(0, 0);
  }

  private static void anAcknowledgementOfAnother(TcpSession at) {
    write(at, 0);
    at.peer.send(at.frame(FrameLayout.ACK, 0, 1, 0, 0));
    at.peer.send(at.frame(FrameLayout.ACK, 0, -1, 0, 0));
    at.peer.send(at.frame(FrameLayout.NAK, 0, 1, 0, 0));
    at.peer.send(at.frame(FrameLayout.RNR, 0, 1, 0, 0));
    // What is answered shows that all before was taken in.
    at.peer.send(at.write(0, 64, 8));
    at.peer.expect(FrameLayout.ACK, 0);
    assertThat(at.own.hasNone()).isTrue();
    write(at, 1);
    write(at, 2);
    at.peer.send(at.frame(FrameLayout.ACK, 0, 1, 0, 0));
    done(at, 0);
    done(at, 1);
    at.peer.send(at.frame(FrameLayout.ACK, 0, 0, 0, 0));
    at.peer.send(at.frame(FrameLayout.NAK, 0, 1, 0, 0));
    at.peer.send(at.frame(FrameLayout.RNR, 0, 1, 0, 0));
    at.peer.send(at.write(1, 64, 8));
    at.peer.expect(FrameLayout.ACK, 1);
    assertThat(at.own.hasNone()).isTrue();
    at.peer.send(at.frame(FrameLayout.ACK, 0, 2, 0, 0));
    done(at, 2);
  }

  private static void anAnswerAfterTheBreak(TcpSession at) {
    write(at, 0);
    read(at, 1, 8);
    at.own.queuePair().modify(QueuePair.State.ERROR);
    at.peer.expect(FrameLayout.BROKEN, 0);
    at.expectCompletion(CompletionStatus.WORK_REQUEST_FLUSHED);
    at.expectCompletion(CompletionStatus.WORK_REQUEST_FLUSHED);
    at.peer.send(at.frame(FrameLayout.ACK, 0, 0, 0, 0));
    at.peer.send(data(at, WHOLE, 1, 8));
    SoftConnector.End broken = at.own;
    at.endsLink(at.frame(99, WHOLE, 0, 0, 0));
    assertThat(broken.hasNone()).isTrue();
  }

  private static void aRefusal(TcpSession at) {
    write(at, 0);
    write(at, 1);
    at.peer.send(at.frame(FrameLayout.NAK, 0, 1, 0, 0).put(FrameLayout.STATUS_OFFSET, (byte) 10));
    done(at, 0);
    assertThat(at.expectCompletion(CompletionStatus.REMOTE_ACCESS_ERROR).requestId()).isEqualTo(1);
    at.awaitError();
  }

  private static void aRequestToSendAgain(TcpSession at) {
    write(at, 0);
    write(at, 1);
    at.peer.send(at.frame(FrameLayout.RNR, 0, 1, 0, 0));
    at.peer.expect(FrameLayout.WRITE, 1);
    done(at, 0);
    assertThat(at.own.hasNone()).isTrue();
    at.peer.send(at.frame(FrameLayout.ACK, 0, 1, 0, 0));
    done(at, 1);
  }
}
