// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.Optional;

/**
 * What the library must say of its structures, in the order of {@code native/src/layout.c}: each
 * one's size and offsets.
 */
final class ExpectedStructures {
  private static final int[] EXPECTED = {
    SendLayout.SIZE,
    SendLayout.ID_OFFSET,
    SendLayout.REMOTE_ADDRESS_OFFSET,
    SendLayout.OPERAND_OFFSET,
    SendLayout.SECOND_OPERAND_OFFSET,
    SendLayout.WINDOW_OFFSET,
    SendLayout.REGION_OFFSET,
    SendLayout.KEY_OFFSET,
    SendLayout.IMMEDIATE_OFFSET,
    SendLayout.OPERATION_OFFSET,
    SendLayout.FLAGS_OFFSET,
    SendLayout.FLUSH_TYPE_OFFSET,
    SendLayout.FLUSH_LEVEL_OFFSET,
    SendLayout.COUNT_OFFSET,
    ReceiveLayout.SIZE,
    ReceiveLayout.ID_OFFSET,
    ReceiveLayout.COUNT_OFFSET,
    BufferLayout.SIZE,
    BufferLayout.ADDRESS_OFFSET,
    BufferLayout.LENGTH_OFFSET,
    BufferLayout.KEY_OFFSET,
    CompletionLayout.SIZE,
    CompletionLayout.ID_OFFSET,
    CompletionLayout.STATUS_OFFSET,
    CompletionLayout.OPCODE_OFFSET,
    CompletionLayout.BYTES_OFFSET,
    CompletionLayout.QUEUE_PAIR_OFFSET,
    CompletionLayout.IMMEDIATE_OFFSET,
    CompletionLayout.FLAGS_OFFSET,
    CompletionLayout.VENDOR_ERROR_OFFSET,
    DeviceInfoLayout.SIZE,
    DeviceInfoLayout.MAX_MESSAGE_OFFSET,
    DeviceInfoLayout.CAPABILITIES_OFFSET,
    DeviceInfoLayout.MAX_DEPTH_OFFSET,
    DeviceInfoLayout.MAX_COMPLETIONS_OFFSET,
    DeviceInfoLayout.MAX_SHARED_DEPTH_OFFSET,
    DeviceInfoLayout.MAX_BUFFERS_OFFSET,
    DeviceInfoLayout.MAX_INLINE_OFFSET,
    DeviceInfoLayout.PORT_OFFSET,
    DeviceInfoLayout.MTU_OFFSET,
    DeviceInfoLayout.MAX_READS_OFFSET,
    DeviceInfoLayout.IS_INFINIBAND_OFFSET,
    DeviceInfoLayout.NAME_OFFSET,
    AddressLayout.SIZE,
    AddressLayout.FAMILY_OFFSET,
    AddressLayout.PORT_OFFSET,
    AddressLayout.SCOPE_OFFSET,
    AddressLayout.BYTES_OFFSET,
    EventLayout.SIZE,
    EventLayout.OBJECT_OFFSET,
    EventLayout.ID_OFFSET,
    EventLayout.SOURCE_OFFSET,
    EventLayout.TYPE_OFFSET,
    EventLayout.STATUS_OFFSET,
    EventLayout.QUEUE_PAIR_OFFSET,
    EventLayout.PRIVATE_LENGTH_OFFSET,
    EventLayout.READS_OF_PEER_OFFSET,
    EventLayout.READS_OFFSET,
    EventLayout.SAME_DEVICE_OFFSET,
    EventLayout.REMOTE_OFFSET,
    EventLayout.PRIVATE_DATA_OFFSET,
    PathLayout.SIZE,
    PathLayout.MTU_OFFSET,
    PathLayout.RNR_TIMER_OFFSET,
    PathLayout.RNR_RETRIES_OFFSET,
    PathLayout.TIMEOUT_OFFSET,
    PathLayout.RETRIES_OFFSET,
    PathLayout.GID_INDEX_OFFSET,
    PathLayout.GID_TYPE_OFFSET,
    PathLayout.IS_ROUTED_OFFSET,
    PathLayout.GID_OFFSET,
  };

  private ExpectedStructures() {}

  /** How many numbers are expected. */
  static int count() {
    return EXPECTED.length;
  }

  /** Asks the library, which is loaded; why it does not fit these classes, or empty if it does. */
  static Optional<String> mismatch() {
    ByteBuffer told = NativeMemory.buffer(count() * Integer.BYTES);
    int count = Native.layout(NativeMemory.address(told), count());
    return difference(told.asIntBuffer(), count)
        .map(difference -> "the native library does not fit this jar: " + difference);
  }

  /** Compares what the library told; what differs, or empty if nothing does. */
  static Optional<String> difference(IntBuffer told, int count) {
    if (count != EXPECTED.length) {
      return Optional.of("it tells " + count + " numbers, these classes " + EXPECTED.length);
    }
    for (int i = 0; i < EXPECTED.length; i++) {
      if (told.get(i) != EXPECTED[i]) {
        return Optional.of("layout number " + i + " is " + told.get(i) + ", here " + EXPECTED[i]);
      }
    }
    return Optional.empty();
  }
}
