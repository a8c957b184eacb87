// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.nio.ByteBuffer;

/**
 * What follows the header of a response that tells of a failure; big-endian.
 *
 * <pre>
 * +---------------------------------------------------------------+
 * |                  the handler's failure code:32                |
 * +---------------------------------------------------------------+
 * |                         message, UTF-8                        |
 * +---------------------------------------------------------------+
 * </pre>
 */
final class FailureText {
  private static final int TEXT_OFFSET = Integer.BYTES;

  private FailureText() {}

  /** Encodes in at most {@code most} bytes. */
  static ByteBuffer encode(int code, String message, int most) {
    byte[] text = Utf8.encode(message, most - TEXT_OFFSET);
    return ByteBuffer.allocate(TEXT_OFFSET + text.length).putInt(code).put(text).flip();
  }

  /** The exception for the caller. */
  static RpcException decode(MessageStatus status, ByteBuffer payload) {
    int code = 0;
    String text = "";
    if (payload.remaining() >= TEXT_OFFSET) {
      code = payload.getInt();
      text = Utf8.decode(payload);
    }
    return switch (status) {
      case HANDLER_FAILED -> new RemoteFailureException(code, text);
      case NO_SUCH_METHOD -> refused(RpcException.Code.NO_SUCH_METHOD, text);
      case OVERLOADED -> refused(RpcException.Code.OVERLOADED, text);
      case TOO_LARGE -> refused(RpcException.Code.MESSAGE_TOO_LARGE, text);
      default -> refused(RpcException.Code.PROTOCOL, text);
    };
  }

  private static RpcException refused(RpcException.Code code, String text) {
    return new RpcException(code, false, "the server refused: " + text, null);
  }
}
