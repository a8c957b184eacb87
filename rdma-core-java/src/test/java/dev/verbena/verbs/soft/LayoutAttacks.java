// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.verbena.memory.MappedMemory;
import dev.verbena.testing.mutation.Attacks;
import dev.verbena.verbs.VerbsException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a peer may put into the messages and areas that describe it. */
public final class LayoutAttacks implements Attacks {
  private static final byte[] DATA = {1, 2, 3};
  private static final Incarnation SOMEBODY = new Incarnation(1, 2);
  private static final int DEPTH = 8;

  @Override
  public Map<String, Runnable> all() {
    Map<String, Runnable> all = new LinkedHashMap<>();
    all.put("aQueuePairAreaOfAnotherSize", LayoutAttacks::aQueuePairAreaOfAnotherSize);
    all.put("aConnectMessageOfAnotherKind", LayoutAttacks::aConnectMessageOfAnotherKind);
    all.put("aConnectMessageThatEndsEarly", LayoutAttacks::aConnectMessageThatEndsEarly);
    all.put("everyConnectMessageIsReadAsItWasWritten", LayoutAttacks::everyMessageIsRead);
    all.put("aHelloThatDoesNotFit", LayoutAttacks::aHelloThatDoesNotFit);
    return all;
  }

  private static MappedMemory areaOf(int depth, int buffers, int sendDepth, int blocks, int more) {
    long ring = QueuePairAreaLayout.hazard(QueuePairAreaLayout.HAZARD_SLOTS);
    long lane = align(ring + depth * (16L + buffers * 16L));
    long sends = align(lane + (long) (depth + sendDepth) * CompletionLane.ENTRY_SIZE);
    long size = sends + (long) blocks * QueuePairAreaLayout.BLOCK + more;
    MappedMemory area = MappedMemory.of(ByteBuffer.allocateDirect((int) size));
    area.putLong(QueuePairAreaLayout.MAGIC_OFFSET, QueuePairAreaLayout.MAGIC);
    area.putInt(QueuePairAreaLayout.RECEIVE_DEPTH_OFFSET, depth);
    area.putInt(QueuePairAreaLayout.RECEIVE_BUFFERS_OFFSET, buffers);
    area.putInt(QueuePairAreaLayout.SEND_DEPTH_OFFSET, sendDepth);
    area.putInt(QueuePairAreaLayout.SEND_BLOCKS_OFFSET, blocks);
    return area;
  }

  private static long align(long offset) {
    return (offset + 63) & -64;
  }

  private static void aQueuePairAreaOfAnotherSize() {
    MappedMemory right = areaOf(DEPTH, 1, DEPTH, DEPTH, 0);
    assertThat(QueuePairAreaLayout.readFrom(right).size()).isEqualTo(right.size());
    int most = SoftDevice.MAX_BUFFERS;
    MappedMemory wide = areaOf(DEPTH, most, DEPTH, DEPTH, 0);
    assertThat(QueuePairAreaLayout.readFrom(wide).receiveBuffers()).isEqualTo(most);
    refused(areaOf(DEPTH, 1, DEPTH, DEPTH, 64));
    refused(areaOf(DEPTH, 1, DEPTH, DEPTH, -64));
    refused(areaOf(DEPTH, most + 1, DEPTH, DEPTH, 0));
    // Sizes that add up all the same.
    refused(areaOf(3, 1, DEPTH, DEPTH, 0));
    refused(areaOf(DEPTH, 1, 6, DEPTH, 0));
    refused(areaOf(DEPTH, 1, DEPTH, 5, 0));
    refused(areaOf(0, 1, DEPTH, DEPTH, 0));
    refused(areaOf(DEPTH, 0, DEPTH, DEPTH, 0));
    refused(areaOf(DEPTH, 1, 0, DEPTH, 0));
    refused(areaOf(DEPTH, 1, DEPTH, 0, 0));
    refused(areaOf(1, 1, DEPTH, 1 << 23, 0));
    MappedMemory unmarked = areaOf(DEPTH, 1, DEPTH, DEPTH, 0);
    unmarked.putLong(QueuePairAreaLayout.MAGIC_OFFSET, QueuePairAreaLayout.MAGIC + 1);
    refused(unmarked);
    refused(MappedMemory.of(ByteBuffer.allocateDirect(64)));
    MappedMemory small = MappedMemory.of(ByteBuffer.allocateDirect(8));
    small.putLong(QueuePairAreaLayout.MAGIC_OFFSET, QueuePairAreaLayout.MAGIC);
    refused(small);
  }

  private static void refused(MappedMemory area) {
    assertThatThrownBy(() -> QueuePairAreaLayout.readFrom(area))
        .isInstanceOfSatisfying(VerbsException.class, LayoutAttacks::isProtocol);
  }

  private static void isProtocol(VerbsException e) {
    assertThat(e.code()).isEqualTo(VerbsException.Code.PROTOCOL);
  }

  private static void aConnectMessageOfAnotherKind() {
    ByteBuffer right = new ConnectMessage.Reject("no", DATA).encode();
    int body = right.remaining() - ConnectMessage.HEADER_SIZE;
    assertThat(ConnectMessage.bodyLength(right)).isEqualTo(body);
    refusedLength(right.duplicate().putInt(ConnectMessage.MAGIC_OFFSET, 1));
    right = new ConnectMessage.Done().encode();
    assertThat(ConnectMessage.bodyLength(right)).isZero();
    refusedLength(
        right.putShort(ConnectMessage.VERSION_OFFSET, (short) (ConnectMessage.VERSION + 1)));
    right = new ConnectMessage.Done().encode();
    right.putInt(ConnectMessage.LENGTH_OFFSET, ConnectMessage.MAX_BODY);
    assertThat(ConnectMessage.bodyLength(right)).isEqualTo(ConnectMessage.MAX_BODY);
    refusedLength(right.putInt(ConnectMessage.LENGTH_OFFSET, ConnectMessage.MAX_BODY + 1));
    refusedLength(right.putInt(ConnectMessage.LENGTH_OFFSET, -1));
    assertThatThrownBy(() -> new ConnectMessage.Reject("", new byte[5000]).encode())
        .isInstanceOf(VerbsException.class);
  }

  private static void refusedLength(ByteBuffer header) {
    assertThatThrownBy(() -> ConnectMessage.bodyLength(header))
        .isInstanceOfSatisfying(VerbsException.class, LayoutAttacks::isProtocol);
  }

  private static ConnectMessage[] messages() {
    return new ConnectMessage[] {
      new ConnectMessage.Request(SOMEBODY, 1, false, true, "/d", DATA),
      new ConnectMessage.Request(SOMEBODY, 1, true, false, "/d", DATA),
      new ConnectMessage.Reply(SOMEBODY, 1, true, "/d", DATA, DATA),
      new ConnectMessage.Reply(SOMEBODY, 1, false, "/d", DATA, DATA),
      new ConnectMessage.Ready(true, 7, DATA),
      new ConnectMessage.Ready(false, 7, DATA),
      new ConnectMessage.Done(),
      new ConnectMessage.Reject("no", DATA),
      new ConnectMessage.Join(SOMEBODY, 7)
    };
  }

  private static byte[] body(ConnectMessage message) {
    ByteBuffer all = message.encode();
    byte[] body = new byte[all.remaining() - ConnectMessage.HEADER_SIZE];
    all.get(ConnectMessage.HEADER_SIZE, body);
    return body;
  }

  private static int type(ConnectMessage message) {
    return message.encode().get(ConnectMessage.TYPE_OFFSET);
  }

  private static void everyMessageIsRead() {
    for (ConnectMessage message : messages()) {
      assertThat(ConnectMessage.decode(type(message), body(message)))
          .usingRecursiveComparison()
          .withStrictTypeChecking()
          .isEqualTo(message);
    }
    refusedBody(77, new byte[100]);
  }

  private static void aConnectMessageThatEndsEarly() {
    for (ConnectMessage message : messages()) {
      byte[] body = body(message);
      for (int length = 0; length < body.length; length++) {
        refusedBody(type(message), Arrays.copyOf(body, length));
      }
    }
    byte[] reject = body(new ConnectMessage.Reject("", new byte[0]));
    reject[reject.length - 2] = (byte) 0xff;
    refusedBody(5, reject);
  }

  private static void refusedBody(int type, byte[] body) {
    assertThatThrownBy(() -> ConnectMessage.decode(type, body))
        .isInstanceOfSatisfying(VerbsException.class, LayoutAttacks::isProtocol);
  }

  private static void aHelloThatDoesNotFit() {
    try {
      ByteBuffer hello = WakeHello.of(SOMEBODY, Path.of("/some/where"));
      int whole = hello.remaining();
      for (int length = 0; length < whole; length++) {
        assertThat(WakeHello.isWhole(hello.duplicate().position(length))).isFalse();
      }
      assertThat(WakeHello.isWhole(hello.duplicate().position(whole))).isTrue();
      assertThat(WakeHello.directory(hello)).isEqualTo(Path.of("/some/where"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    ByteBuffer longest = ByteBuffer.allocate(WakeHello.MAX_SIZE);
    longest.putShort(16, (short) (WakeHello.MAX_SIZE - 18)).position(WakeHello.MAX_SIZE);
    assertThat(isWhole(longest)).isTrue();
    longest.putShort(16, (short) (WakeHello.MAX_SIZE - 17));
    assertThatThrownBy(() -> WakeHello.isWhole(longest)).isInstanceOf(IOException.class);
    longest.putShort(16, (short) -1);
    assertThatThrownBy(() -> WakeHello.isWhole(longest)).isInstanceOf(IOException.class);
  }

  private static boolean isWhole(ByteBuffer hello) {
    try {
      return WakeHello.isWhole(hello);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
