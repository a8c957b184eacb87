// SPDX-License-Identifier: Apache-2.0
package dev.verbena.verbs.rdmacore;

import dev.verbena.verbs.DeviceAttributes;
import dev.verbena.verbs.DeviceCapability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a device told when it was opened.
 *
 * @param name as the kernel has it
 * @param carrier its driver: "rxe" for soft-RoCE
 * @param attributes its limits and capabilities
 * @param maxSharedDepth RECVs of the deepest shared receive queue
 * @param maxCompletions entries of the deepest completion queue
 * @param mtu of its port, as enum ibv_mtu
 * @param maxReads READs and atomics that one connection may have going
 * @param isInfiniBand whether its transport is InfiniBand's or RoCE
 */
record DeviceInfo(
    String name,
    String carrier,
    DeviceAttributes attributes,
    int maxSharedDepth,
    int maxCompletions,
    int mtu,
    int maxReads,
    boolean isInfiniBand) {

  /** What a connect request has room for: 92 bytes of InfiniBand's, 36 of which rdma_cm takes. */
  private static final int MAX_PRIVATE_DATA = 56;

  private static final int MAX_READS = 255;

  /** Its windows open all of their region (kernel 6.12). */
  private static final String SOFT_ROCE = "rxe";

  /** Bytes that code 0 of enum ibv_mtu would stand for: 1 is 256, each next one twice as much. */
  private static final int LEAST_MTU = 128;

  private static final Path CLASS = Path.of("/sys/class/infiniband");

  boolean isSoftRoce() {
    return carrier.equals(SOFT_ROCE);
  }

  static DeviceInfo read(ByteBuffer from) {
    String name = name(from);
    int depth = from.getInt(DeviceInfoLayout.MAX_DEPTH_OFFSET);
    String carrier = carrier(CLASS.resolve(name));
    Set<DeviceCapability> capabilities =
        capabilities(from.getInt(DeviceInfoLayout.CAPABILITIES_OFFSET));
    if (!carrier.equals(SOFT_ROCE)) {
      capabilities.add(DeviceCapability.WINDOW_BOUNDS);
    }
    DeviceAttributes attributes =
        new DeviceAttributes(
            from.getLong(DeviceInfoLayout.MAX_MESSAGE_OFFSET),
            depth - SendQueue.EXTRA,
            from.getInt(DeviceInfoLayout.MAX_BUFFERS_OFFSET),
            from.getInt(DeviceInfoLayout.MAX_INLINE_OFFSET),
            MAX_PRIVATE_DATA,
            LEAST_MTU << from.getInt(DeviceInfoLayout.MTU_OFFSET),
            false,
            capabilities);
    return new DeviceInfo(
        name,
        carrier,
        attributes,
        from.getInt(DeviceInfoLayout.MAX_SHARED_DEPTH_OFFSET),
        from.getInt(DeviceInfoLayout.MAX_COMPLETIONS_OFFSET),
        from.getInt(DeviceInfoLayout.MTU_OFFSET),
        Math.min(from.getInt(DeviceInfoLayout.MAX_READS_OFFSET), MAX_READS),
        from.getInt(DeviceInfoLayout.IS_INFINIBAND_OFFSET) != 0);
  }

  private static String name(ByteBuffer from) {
    byte[] bytes = new byte[DeviceInfoLayout.NAME_BYTES];
    from.get(DeviceInfoLayout.NAME_OFFSET, bytes);
    String padded = new String(bytes, StandardCharsets.US_ASCII);
    return padded.substring(0, padded.indexOf('\0'));
  }

  private static Set<DeviceCapability> capabilities(int bits) {
    Set<DeviceCapability> found = EnumSet.noneOf(DeviceCapability.class);
    if ((bits & DeviceInfoLayout.ATOMICS) != 0) {
      found.add(DeviceCapability.ATOMICS);
    }
    if ((bits & DeviceInfoLayout.FLUSH_GLOBAL) != 0) {
      found.add(DeviceCapability.FLUSH_GLOBAL);
    }
    if ((bits & DeviceInfoLayout.FLUSH_PERSISTENT) != 0) {
      found.add(DeviceCapability.FLUSH_PERSISTENT);
    }
    if ((bits & DeviceInfoLayout.ATOMIC_WRITES) != 0) {
      found.add(DeviceCapability.ATOMIC_WRITE);
    }
    if ((bits & DeviceInfoLayout.MEMORY_WINDOW_TYPE_2B) != 0) {
      found.add(DeviceCapability.MEMORY_WINDOW_TYPE_2B);
    }
    return found;
  }

  /** The driver behind a device: only soft-RoCE names the network interface that it stands on. */
  private static String carrier(Path device) {
    if (Files.exists(device.resolve("parent"))) {
      return SOFT_ROCE;
    }
    try {
      return device.resolve("device/driver").toRealPath().getFileName().toString();
    } catch (IOException e) {
      // A device without hardware has no driver to name.
      return "rdma";
    }
  }
}
