// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class MessageHeaderTest {
  @Test
  void aHeaderHasThisLayout() {
    MessageHeader header = new MessageHeader(ByteBuffer.allocate(MessageHeader.LENGTH));
    header.set(
        1,
        MessageKind.REQUEST,
        MessageStatus.OVERLOADED,
        0x01020304,
        0x05060708,
        0x1112131415161718L,
        0x2122232425262728L,
        0x3132333435363738L);
    header.setCredits(0xfffe);
    assertThat(HexFormat.of().formatHex(header.bytes().array()))
        .isEqualTo(
            "5652"
                + "01"
                + "10"
                + "0003"
                + "fffe"
                + "01020304"
                + "05060708"
                + "1112131415161718"
                + "2122232425262728"
                + "3132333435363738");
    assertThat(header.credits()).isEqualTo(0xfffe);
    assertThat(header.kind()).isEqualTo(MessageKind.REQUEST);
    assertThat(header.status()).isEqualTo(MessageStatus.OVERLOADED);
  }

  @Test
  void unknownCodesAreNobody() {
    assertThat(MessageKind.of(0)).isNull();
    assertThat(MessageKind.of(255)).isNull();
    assertThat(MessageStatus.of(0xffff)).isNull();
    for (MessageKind kind : MessageKind.values()) {
      assertThat(MessageKind.of(kind.code())).isEqualTo(kind);
    }
  }
}
