// SPDX-License-Identifier: Apache-2.0
package dev.verbena.rpc;

import java.nio.ByteBuffer;

/**
 * Private data of a connect; big-endian. It fits the 56 bytes that rdma_cm leaves.
 *
 * <pre>
 * +---------------------------------------------------------------+
 * |                       magic "VRPC":32                         |
 * +---------------+-----------------------------------------------+
 * |   purpose:8   |                  unused:24                    |
 * +---------------+-----------------------------------------------+
 * |              session id:64  (bulk only, else 0)               |
 * +---------------------------------------------------------------+
 * |                 token:256  (bulk only, else 0)                |
 * +---------------------------------------------------------------+
 * </pre>
 *
 * @param purpose what the queue pair is for
 * @param sessionId the control connection that a bulk queue pair belongs to
 * @param token proof of that; null for control
 */
record ConnectData(Purpose purpose, long sessionId, BulkToken token) {
  /** What a queue pair is for. */
  enum Purpose {
    CONTROL(0),
    BULK(1);

    private final int code;

    Purpose(int code) {
      this.code = code;
    }

    private static Purpose of(int code) {
      return code == CONTROL.code ? CONTROL : code == BULK.code ? BULK : null;
    }
  }

  private static final int MAGIC = 0x56525043;
  private static final int MAGIC_OFFSET = 0;
  private static final int PURPOSE_OFFSET = 4;
  private static final int SESSION_OFFSET = 8;
  private static final int TOKEN_OFFSET = 16;
  private static final int LENGTH = TOKEN_OFFSET + BulkToken.LENGTH;

  static ConnectData control() {
    return new ConnectData(Purpose.CONTROL, 0, null);
  }

  static ConnectData bulk(Agreement agreement) {
    return new ConnectData(Purpose.BULK, agreement.sessionId(), agreement.bulkToken());
  }

  byte[] encode() {
    ByteBuffer bytes =
        ByteBuffer.allocate(LENGTH)
            .putInt(MAGIC_OFFSET, MAGIC)
            .put(PURPOSE_OFFSET, (byte) purpose.code)
            .putLong(SESSION_OFFSET, sessionId);
    if (token != null) {
      token.putTo(bytes, TOKEN_OFFSET);
    }
    return bytes.array();
  }

  /** Decodes; null if that is not ours. Real devices pad private data with zeros. */
  static ConnectData decode(byte[] data) {
    if (data.length < LENGTH) {
      return null;
    }
    ByteBuffer bytes = ByteBuffer.wrap(data);
    Purpose purpose = Purpose.of(bytes.get(PURPOSE_OFFSET));
    if (bytes.getInt(MAGIC_OFFSET) != MAGIC || purpose == null) {
      return null;
    }
    byte[] token = new byte[BulkToken.LENGTH];
    bytes.get(TOKEN_OFFSET, token);
    return new ConnectData(purpose, bytes.getLong(SESSION_OFFSET), new BulkToken(token));
  }
}
